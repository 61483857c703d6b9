package io.fairlead.spi.served;

/**
 * Carries the messages of served memory from one endpoint to its peer, in order and each once. A transport implements it. It is called on the worker's
 * thread, inside posts and progress, and must not call back the {@link RemoteRequester} or {@link RemoteResponder} that calls it.
 */
public interface ServedChannel {
    /** What {@link #send} did with a message. */
    enum Outcome {
        /**
         * The channel has no room and took nothing. When there is room, the transport calls {@link RemoteResponder#resume} and then
         * {@link RemoteRequester#resume}: answers go first, because the peer waits for them.
         */
        FULL,
        /** The channel has copied header and data. */
        COPIED,
        /**
         * The channel has copied the header, and will read the data where it is. When it has read the last byte, the transport calls
         * {@link RemoteRequester#left} or {@link RemoteResponder#left}; until then that side sends no further message. Allowed only for data longer than
         * {@link ServedLimits#copyMax}.
         */
        BORROWED
    }

    /**
     * Sends a message: the header, which {@link ServedMessage#write} writes, and the data behind it.
     *
     * <p>If this throws because the data's memory was closed, it must leave the channel as it was.
     *
     * @param message the message; the object is filled again after the call
     * @return what was done with it
     */
    Outcome send(ServedMessage message);

    /**
     * Whether requests may be sent now. A transport that also moves data by other means returns false while a fence orders requests behind those, and
     * when the endpoint has failed. When that has changed it calls {@link RemoteRequester#resume}.
     *
     * @return true unless overridden
     */
    default boolean mayAsk() {
        return true;
    }

    /**
     * Called when the memory of an operation was closed while the operation was under way: part of it has been sent, or its answer has come. The
     * operation cannot be undone, so the transport fails the endpoint by {@link io.fairlead.spi.EndpointHost#failed}. After that it calls nothing of
     * the endpoint's {@link RemoteRequester} but {@link RemoteRequester#cancel}.
     *
     * @param cause the exception that the access to the memory threw
     */
    void memoryClosed(IllegalStateException cause);
}
