package io.fairlead.system.network;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Does things again and again, and reports what they throw. */
final class Clock implements AutoCloseable {
    private static final int THREADS = 2;

    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(THREADS);

    void every(Duration pause, Runnable task) {
        Runnable reported = () -> {
            try {
                task.run();
            } catch (RuntimeException | Error failure) {
                Report.say("violation " + failure);
                throw failure;
            }
        };
        var _ = executor.scheduleWithFixedDelay(reported, 0, pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Returns when nothing runs any more. */
    @Override
    public void close() {
        executor.close();
    }
}
