package io.fairlead;

/**
 * Told once, and only once, that an operation has ended.
 *
 * <p>Runs on the worker's thread inside {@link Worker#progress()} (or inside a {@code close} that progresses for it), and not inside
 * the call that posted the operation unless it is {@link Immediate}. It may post further operations, cancel, and close endpoints; it must not call
 * {@link Worker#progress()}. What it throws is logged and goes no further: the next completion runs as if nothing had happened.
 *
 * <p>One instance may serve any number of operations; {@link Request#userData()} tells them apart without allocating.
 */
@FunctionalInterface
public interface Completion {
    /** Does nothing; for operations whose end is learnt in another way, such as a put that a flush follows. */
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
     * A completion that runs inside the call that posted its operation, before that call returns, if the operation has ended by then; otherwise inside
     * {@link Worker#progress()} as any other. Atomics, and gets and puts of up to 4 MiB, end inside their post where the peer's memory is shared memory
     * of the same host, and need no turn of the worker with this.
     *
     * <p>So it may run before the caller knows the id of the operation, which {@link Request#id()} tells. The same is allowed and forbidden as in any completion;
     * what is posted inside it ends in later progress, however immediate, so that a chain of posts takes no stack. Semantics: UCX, whose operations
     * complete immediately unless they are asked not to ({@code UCP_OP_ATTR_FLAG_NO_IMM_CMPL}).
     */
    @Incubating
    @FunctionalInterface
    interface Immediate extends Completion {}
}
