package io.fairlead.node.internal.loop;

import io.fairlead.internal.log.Callbacks;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a loop does later. An action that throws ends its own subject only. Belongs to the loop's thread. */
public final class Timers {
    private static final Logger LOG = LoggerFactory.getLogger(Timers.class);

    /** One thing to do. */
    public static final class Timer {
        private final long dueNs;
        private final Runnable action;
        private final Consumer<Throwable> failed;
        private boolean cancelled;

        private Timer(long dueNs, Runnable action, Consumer<Throwable> failed) {
            this.dueNs = dueNs;
            this.action = action;
            this.failed = failed;
        }

        private void run() {
            try {
                action.run();
            } catch (Throwable thrown) {
                Callbacks.logThrown(LOG, thrown, "a timer of a node failed");
                try {
                    failed.accept(thrown);
                } catch (Throwable again) {
                    Callbacks.logThrown(LOG, again, "ending what a timer of a node is about failed");
                }
            }
        }

        public void cancel() {
            cancelled = true;
        }
    }

    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.signum(a.dueNs - b.dueNs));

    /** Runs something after a delay, in a turn of the loop; what it throws is logged. */
    public Timer after(long delayNs, Runnable action) {
        return after(delayNs, action, _ -> {});
    }

    /**
     * Runs something after a delay, in a turn of the loop.
     *
     * @param failed ends what it is about, and gets what it has thrown
     */
    public Timer after(long delayNs, Runnable action, Consumer<Throwable> failed) {
        Timer timer = new Timer(System.nanoTime() + delayNs, action, failed);
        timers.add(timer);
        return timer;
    }

    /** Takes a timer out, so that it does not stay until it is due. */
    public void remove(Timer timer) {
        timers.remove(timer);
    }

    /** Runs what is due. */
    int run() {
        if (timers.isEmpty()) {
            return 0;
        }
        int count = 0;
        long nowNs = System.nanoTime();
        for (Timer timer = timers.peek(); timer != null && timer.dueNs - nowNs <= 0; timer = timers.peek()) {
            timers.remove();
            if (!timer.cancelled) {
                timer.run();
                count++;
            }
        }
        return count;
    }

    /** How long a wait may be: until the next is due, and no longer than the limit. */
    long limit(long limitNs) {
        Timer next = timers.peek();
        return next == null ? limitNs : Math.clamp(next.dueNs - System.nanoTime(), 0, limitNs);
    }
}
