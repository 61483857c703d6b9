package io.fairlead;

/**
 * What a progress loop does when there was nothing to do. An instance belongs to one loop; it is not thread-safe.
 *
 * <pre>{@code
 * while (running) {
 *     idle.idle(worker, worker.progress());
 * }
 * }</pre>
 */
public interface IdleStrategy {
    /**
     * Waits as the strategy says, or returns at once.
     *
     * @param worker the worker of the loop
     * @param events what {@link Worker#progress()} returned; above 0 this returns at once
     */
    void idle(Worker worker, int events);

    /**
     * Spins briefly, then yields, then waits in {@link Worker#await(long)} until something arrives. The default: fast when
     * busy, and cheap when idle.
     *
     * @return a new one
     */
    static IdleStrategy backOff() {
        return backOff(64, 64);
    }

    /**
     * As {@link #backOff()}, with numbers of the caller's. Spins are for a loop that has a processor to itself: where it shares one, each keeps the
     * thread that has the answer from running.
     *
     * @param spins so many idle turns it spins after the last event, 0 and up
     * @param yields so many it then yields, 0 and up, but not for longer than 100 microseconds: that would tell of others that need the processor; with 0
     *     of both it waits at once
     * @return a new one
     * @throws IllegalArgumentException if a number is negative
     */
    static IdleStrategy backOff(int spins, int yields) {
        if (spins < 0 || yields < 0) {
            throw new IllegalArgumentException(
                    "idle turns out of range: spins=" + spins + ", yields=" + yields + ", allowed 0 and up");
        }
        return new BackOff(spins, yields);
    }

    /**
     * Never waits. It has the lowest latency and takes a whole processor core. Two of them need two free cores; otherwise they stall
     * each other for milliseconds to seconds.
     *
     * @return a new one
     */
    static IdleStrategy busySpin() {
        // No hint to the processor either: on some it is a pause as long as a message takes.
        return (_, _) -> {};
    }

    /**
     * Waits at once. It uses the processor least.
     *
     * @return a new one
     */
    static IdleStrategy blocking() {
        return backOff(0, 0);
    }

    /**
     * The strategy of a configuration's name: {@code backoff}, {@code busy-spin} or {@code blocking}.
     *
     * @param name the value of {@code idle.strategy}
     * @return a new one
     * @throws IllegalArgumentException if there is none of that name
     */
    static IdleStrategy named(String name) {
        return switch (name) {
            case "backoff" -> backOff();
            case "busy-spin" -> busySpin();
            case "blocking" -> blocking();
            default ->
                throw new IllegalArgumentException(
                        "unknown idle strategy: name=" + name + ", one of backoff, busy-spin, blocking");
        };
    }
}
