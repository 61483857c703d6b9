package io.fairlead.spi.served;

/**
 * Carries the messages of emulated remote memory access from one endpoint to its peer, in order and exactly once.
 * Implemented by a transport. It is called on the worker's thread, inside posts and progress, and must not call back
 * the {@link RemoteRequester} or {@link RemoteResponder} that calls it.
 */
public interface ServedChannel {
    /** What {@link #send} did with a message. */
    enum Outcome {
        /**
         * The channel is full and accepted nothing. When it has capacity, the transport calls
         * {@link RemoteResponder#resume} and then {@link RemoteRequester#resume}: answers go first, because the peer
         * waits for them.
         */
        FULL,
        /** The channel has copied header and data. */
        COPIED,
        /**
         * The channel has copied the header, and will read the data in place. When it has read the last byte, the
         * transport calls {@link RemoteRequester#left} or {@link RemoteResponder#left}; until then that side sends no
         * further message. Allowed only for data longer than {@link ServedLimits#copyMax}.
         */
        BORROWED
    }

    /**
     * Sends a message: the header, which {@link ServedMessage#write} writes, followed by the data.
     *
     * <p>If this throws because the data's memory was closed, it must leave the channel unchanged.
     *
     * @param message the message; the object is reused after the call
     * @return the outcome
     */
    Outcome send(ServedMessage message);

    /**
     * Whether requests may be sent now. A transport that also moves data by other means returns false while a fence
     * orders requests after those, and when the endpoint has failed. When that has changed it calls
     * {@link RemoteRequester#resume}.
     *
     * @return true unless overridden
     */
    default boolean mayAsk() {
        return true;
    }

    /**
     * Called when the memory of an operation was closed during the operation: part of it has been sent, or its answer
     * has arrived. The operation cannot be undone, so the transport fails the endpoint by
     * {@link io.fairlead.spi.EndpointHost#failed}. After that it calls only {@link RemoteRequester#cancel} of the
     * endpoint's {@link RemoteRequester}.
     *
     * @param cause the exception that the access to the memory threw
     */
    void memoryClosed(IllegalStateException cause);
}
