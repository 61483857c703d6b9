package io.fairlead;

/**
 * Called exactly once, when an operation has ended.
 *
 * <p>Runs on the worker's thread inside {@link Worker#progress()} (or inside a {@code close} that progresses for it), and not inside
 * the call that posted the operation unless it is {@link Immediate}. It may post further operations, cancel, and close endpoints; it must not call
 * {@link Worker#progress()}. An exception that it throws is logged, and the next completion runs.
 *
 * <p>One instance may serve any number of operations; {@link Request#userData()} distinguishes them without allocation.
 */
@FunctionalInterface
public interface Completion {
    /** Does nothing. For operations whose end the caller learns in another way, such as a put followed by a flush. */
    Completion IGNORE = immediate(request -> {});

    /**
     * Called when the operation has ended, for whatever reason.
     *
     * @param request the operation's outcome; valid only during this call, and reused afterwards
     */
    void completed(Request request);

    /**
     * Makes a lambda an {@link Immediate} completion: {@code immediate(request -> ...)}.
     *
     * @param completion what is called
     * @return the same
     */
    static Immediate immediate(Immediate completion) {
        return completion;
    }

    /**
     * A completion that may run inside the call that posted its operation. It does so if the operation has ended before
     * that call returns; otherwise it runs inside {@link Worker#progress()}. Over shared memory of one host, atomics
     * and gets and puts of up to 4 MiB end inside their post. An immediate completion of such an operation needs no
     * progress.
     *
     * <p>Operations posted inside progress, by a completion, a handler or a task, always complete in later progress. A
     * chain of posts therefore uses no stack.
     *
     * <p>It may run before the caller has received the operation's id; {@link Request#id()} has it. The rules of
     * {@link Completion} apply. Semantics: UCX, whose operations complete immediately unless
     * {@code UCP_OP_ATTR_FLAG_NO_IMM_CMPL} is set.
     */
    @Incubating
    @FunctionalInterface
    interface Immediate extends Completion {}
}
