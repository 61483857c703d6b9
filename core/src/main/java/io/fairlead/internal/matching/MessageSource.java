package io.fairlead.internal.matching;

/** An endpoint as matching knows it: where messages come from, and who holds those that nothing has matched. */
public interface MessageSource {
    /** Whether receives, probes and claims of any source pass its messages by. */
    boolean isExclusive();

    /** After the endpoint's end: takes a message from the transport if every byte is here. What is held of the others is freed. */
    boolean tryKeep(CoreArrival arrival);

    /** Frees what is held of a message. */
    void discard(CoreArrival arrival);
}
