package io.fairlead;

/**
 * Told once, and only once, that an operation has ended.
 *
 * <p>Runs on the worker's thread inside {@link Worker#progress()} (or inside a {@code close} that progresses for it), never
 * inside the call that posted the operation. It may post further operations, cancel, and close endpoints; it must not call
 * {@link Worker#progress()}. What it throws is logged and goes no further: the next completion runs as if nothing had happened.
 *
 * <p>One instance may serve any number of operations; {@link Request#userData()} tells them apart without allocating.
 */
@FunctionalInterface
public interface Completion {
    /** Does nothing; for operations whose end is learnt in another way, such as a put that a flush follows. */
    Completion IGNORE = request -> {};

    /**
     * Called when the operation has ended, for whatever reason.
     *
     * @param request the operation's outcome; valid only during this call, and reused afterwards
     */
    void completed(Request request);
}
