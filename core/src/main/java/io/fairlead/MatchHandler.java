package io.fairlead;

import java.lang.foreign.MemorySegment;

/**
 * Supplies the buffer of a receive once a message has matched it and the message's length is known. For receives posted
 * by {@link Worker#receive(MatchHandler, long, long, Completion, long)}.
 *
 * <p>Called on the worker's thread, inside progress or the post. It must be quick and must not call the worker or its
 * endpoints: progress, waits, receives, probes, claims and cancels throw an {@link IllegalStateException} there. An
 * exception that it throws is logged and withdraws the receive.
 *
 * <p>Semantics: MPI {@code MPI_Mprobe} with {@code MPI_Mrecv}, as a call-back.
 */
@Incubating
public interface MatchHandler {
    /**
     * Whether the receive takes messages of an endpoint. It is called for each receive whose tag matches, even if an
     * older receive takes the message in the end. It must have no side effects.
     *
     * @param source the endpoint that a message came from
     * @return false to leave the message to other receives while this one stays posted; true unless overridden
     */
    default boolean accepts(Endpoint source) {
        return true;
    }

    /**
     * Takes a message. This receive is the oldest one that matches it.
     *
     * @param message its source, tag and length, valid during the call
     * @return true if {@link #buffer()} has the capacity for it; false withdraws the receive, which completes
     *     {@link Status#CANCELLED}, and the message goes to the next one
     */
    boolean tryMatch(MessageInfo message);

    /**
     * The buffer for the message that {@link #tryMatch} took; called right after it.
     *
     * @return native memory, used whole and owned by the worker until the completion. A longer message completes the
     *     receive {@link Status#TRUNCATED}; {@link MemorySegment#NULL} discards the whole message
     */
    MemorySegment buffer();
}
