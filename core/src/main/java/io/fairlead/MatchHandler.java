package io.fairlead;

import java.lang.foreign.MemorySegment;

/**
 * Gives a receive its buffer once a message has matched it and the message's length is known. For receives that are posted by
 * {@link Worker#receive(MatchHandler, long, long, Completion, long)}.
 *
 * <p>Called on the worker's thread, inside progress or the post. It must be quick and must not call the worker, its endpoints included:
 * progress, waits, receives, probes, claims and cancels throw an {@link IllegalStateException} there. What it throws is logged and withdraws the receive.
 *
 * <p>Semantics: MPI {@code MPI_Mprobe} with {@code MPI_Mrecv}, as a call-back.
 */
@Incubating
public interface MatchHandler {
    /**
     * Whether the receive takes messages of an endpoint. Asked of any receive whose tag fits, also where an older one takes the message in the end, so
     * that an answer changes nothing.
     *
     * @param source where a message came from
     * @return false to let the message go to another receive while this one waits on; true unless overridden
     */
    default boolean accepts(Endpoint source) {
        return true;
    }

    /**
     * Takes a message: of all receives that fit it this is the oldest.
     *
     * @param message its source, tag and length, valid during the call
     * @return true if {@link #buffer()} has room for it; false withdraws the receive, which completes {@link Status#CANCELLED}, and
     *     the message goes to the next one
     */
    boolean tryMatch(MessageInfo message);

    /**
     * The buffer for the message that {@link #tryMatch} took, asked right after it.
     *
     * @return native memory, used whole and owned by the worker until the completion. A message that is longer completes the receive
     *     {@link Status#TRUNCATED}; {@link MemorySegment#NULL} gives up all of it
     */
    MemorySegment buffer();
}
