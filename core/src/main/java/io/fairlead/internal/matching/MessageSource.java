package io.fairlead.internal.matching;

/** An endpoint's interface to matching: the source of messages, and the holder of unmatched ones. */
public interface MessageSource {
    /** Whether receives, probes and claims from any endpoint ignore its messages. */
    boolean isExclusive();

    /**
     * After the endpoint's end: takes a message from the transport if it is complete. The resources of other messages
     * are freed.
     */
    boolean tryKeep(CoreArrival arrival);

    /** Frees the resources of a message. */
    void discard(CoreArrival arrival);
}
