package io.fairlead.spi;

import org.jspecify.annotations.Nullable;

/**
 * A message that arrives at this worker, created by {@link EndpointHost#arrived}. The core pools arrivals; it recycles
 * one when the receive of the message completes or the message is discarded. Belongs to the worker's thread.
 */
public abstract class Arrival {
    /** Where the payload of a message is when the transport reports the message. */
    public enum Place {
        /** The payload has arrived or is in flight, and uses memory of this side if no receive is posted for it. */
        EAGER,
        /** The payload waits at the sender until a receive matches the message: rendezvous. */
        SENDER
    }

    /** Free for the transport to attach its state of the message. The core clears it when it recycles the arrival. */
    public @Nullable Object attachment;

    /** Free for the transport to attach a number to the message. */
    public long word;

    /** Creates an arrival. Transports do not call this. */
    protected Arrival() {}

    /**
     * The receive that has matched the message.
     *
     * @return the receive, or null if none has matched yet
     */
    public abstract @Nullable Operation operation();

    /**
     * The message's tag.
     *
     * @return 48 bits
     */
    public abstract long tag();

    /**
     * The message's length.
     *
     * @return bytes
     */
    public abstract long length();

    /**
     * Marks an unmatched eager message as complete: every byte has arrived. The message can then be received after its
     * endpoint has ended.
     */
    public abstract void markWhole();
}
