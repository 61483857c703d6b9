package io.fairlead.spi;

import org.jspecify.annotations.Nullable;

/**
 * A message on its way into this worker. Made by the core in {@link EndpointHost#arrived}, pooled, and gone when its receive
 * completes or it is discarded.
 */
public abstract class Arrival {
    /** Where the payload of a message is when it is announced. */
    public enum Place {
        /** It is here or on its way here, and takes memory of this side if no receive is posted. */
        EAGER,
        /** It waits at the sender until a receive matches. */
        SENDER
    }

    /** For the transport: what it keeps about the message. The core clears it when the arrival ends. */
    public @Nullable Object attachment;

    /** For the transport: a number that it keeps about the message. */
    public long word;

    /** Creates an arrival; the core's only. */
    protected Arrival() {}

    /**
     * The receive that the message has been matched with.
     *
     * @return null while unmatched
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
     * Tells the core that every byte of an unmatched eager message is here, so that it outlives its endpoint.
     */
    public abstract void markWhole();
}
