package io.fairlead.node.internal;

import java.util.PriorityQueue;

/** What a loop does later. Belongs to the loop's thread. */
final class Timers {
    /** One thing to do. */
    static final class Timer {
        private final long dueNs;
        private final Runnable action;
        private boolean cancelled;

        private Timer(long dueNs, Runnable action) {
            this.dueNs = dueNs;
            this.action = action;
        }

        void cancel() {
            cancelled = true;
        }
    }

    private final PriorityQueue<Timer> timers = new PriorityQueue<>((a, b) -> Long.signum(a.dueNs - b.dueNs));

    /** Runs something after a delay, in a turn of the loop. */
    Timer after(long delayNs, Runnable action) {
        Timer timer = new Timer(System.nanoTime() + delayNs, action);
        timers.add(timer);
        return timer;
    }

    /** Takes a timer out, so that it does not stay until it is due. */
    void remove(Timer timer) {
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
                timer.action.run();
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
