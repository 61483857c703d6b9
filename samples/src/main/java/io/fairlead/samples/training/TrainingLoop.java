package io.fairlead.samples.training;

import io.fairlead.IdleStrategy;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits for something and makes progress meanwhile. Whatever the training waits for, it waits here, so that a lost peer or a request to
 * stop ends every wait. One thread, the worker's, but for {@link #stop()}.
 */
final class TrainingLoop {
    private final Worker worker;
    private final IdleStrategy idle;
    private @Nullable TrainingException failure;
    private volatile boolean stopped;

    TrainingLoop(Worker worker) {
        this.worker = worker;
        idle = IdleStrategy.named(worker.context().config().value(ConfigKeys.IDLE_STRATEGY));
    }

    /**
     * Makes progress until a condition holds.
     *
     * @throws TrainingException if the training has failed or is to stop, and the condition does not hold
     */
    void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            turn();
        }
    }

    /** Makes progress until a condition holds or the time is over, whatever has failed. */
    void untilOrFor(BooleanSupplier condition, long limitNs) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean() && System.nanoTime() - start < limitNs) {
            worker.progress();
            worker.await(limitNs);
        }
    }

    /** One turn of progress, and a pause if there was nothing to do. */
    void turn() {
        idle.idle(worker, poll());
    }

    /** One turn of progress, for somebody who has other things to do. */
    int poll() {
        if (stopped) {
            throw TrainingException.of("training was stopped");
        }
        int events = worker.progress();
        if (failure != null) {
            throw failure;
        }
        return events;
    }

    /** Ends the wait with a failure; the first one counts. For handlers, which cannot throw to whoever waits. */
    void fail(TrainingException cause) {
        if (failure == null) {
            failure = cause;
        }
    }

    /** Ends the wait, or the next one. Any thread. */
    void stop() {
        stopped = true;
        worker.wakeup();
    }
}
