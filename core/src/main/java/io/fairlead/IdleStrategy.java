package io.fairlead;

/**
 * What a progress loop does when there was nothing to do. An instance belongs to one loop and is not thread-safe.
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
     * As {@link #backOff()}, with the given numbers. Spinning is for a loop that has a processor to itself. On a shared
     * processor a spin delays the thread that has the answer.
     *
     * @param spins idle turns spun after the last event, 0 and up
     * @param yields idle turns yielded after that, 0 and up, for at most 100 microseconds: longer yields mean that
     *     other threads need the processor. With 0 spins and 0 yields it waits at once
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
     * Never waits. It has the lowest latency and uses a whole processor core. Two such loops need two free cores;
     * otherwise they stall each other for milliseconds to seconds.
     *
     * @return a new one
     */
    static IdleStrategy busySpin() {
        // No onSpinWait either: on some processors its pause takes as long as a message.
        return (_, _) -> {};
    }

    /**
     * Waits at once. It uses the least processor time.
     *
     * @return a new one
     */
    static IdleStrategy blocking() {
        return backOff(0, 0);
    }

    /**
     * The strategy with the given name: {@code backoff}, {@code busy-spin} or {@code blocking}.
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
