package io.fairlead;

/**
 * Is called exactly once, when an operation has ended.
 *
 * <p>Runs on the worker's thread inside {@link Worker#progress()} (or inside a {@code close} that progresses for it), and not inside
 * the call that posted the operation unless it is {@link Immediate}. It may post further operations, cancel, and close endpoints; it must not call
 * {@link Worker#progress()}. An exception that it throws is logged, and the next completion runs.
 *
 * <p>One instance may serve any number of operations; {@link Request#userData()} tells them apart without allocating.
 */
@FunctionalInterface
public interface Completion {
    /** Does nothing. It is for operations whose end the caller learns in another way, such as a put with a flush behind it. */
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
     * @param completion what is told
     * @return the same
     */
    static Immediate immediate(Immediate completion) {
        return completion;
    }

    /**
     * A completion that runs inside the call that posted its operation, before that call returns, if the operation has ended by then;
     * otherwise inside {@link Worker#progress()} as any other. Where the peer's memory is shared memory of the same host, atomics, and gets
     * and puts of up to 4 MiB, end inside their post, so that an immediate completion needs no progress. Posts inside progress are an exception: what
     * a completion, a handler or a task posts is told of in later progress.
     *
     * <p>It may therefore run before the caller knows the id of the operation, which {@link Request#id()} tells. The rules of any
     * completion apply. Operations that are posted inside it complete in later progress, even with an immediate completion, so that a chain
     * of posts takes no stack. Semantics: UCX, whose operations complete immediately unless they are asked not to
     * ({@code UCP_OP_ATTR_FLAG_NO_IMM_CMPL}).
     */
    @Incubating
    @FunctionalInterface
    interface Immediate extends Completion {}
}
