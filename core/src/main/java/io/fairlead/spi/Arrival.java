package io.fairlead.spi;

import org.jspecify.annotations.Nullable;

/**
 * A message that arrives at this worker. {@link EndpointHost#arrived} makes it; the core pools it, and takes it back when the receive of the
 * message completes or the message is discarded. Belongs to the worker's thread.
 */
public abstract class Arrival {
    /** Where the payload of a message is when the transport announces the message. */
    public enum Place {
        /** The payload is here or on its way, and takes memory of this side if no receive is posted for it. */
        EAGER,
        /** The payload waits at the sender until a receive matches the message: rendezvous. */
        SENDER
    }

    /** Free for the transport to keep what it needs to know of the message. The core clears it when it takes the arrival back. */
    public @Nullable Object attachment;

    /** Free for the transport to keep a number of the message. */
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
     * Tells the core that every byte of an unmatched eager message is here. The message can then be received after its endpoint has ended.
     */
    public abstract void markWhole();
}
