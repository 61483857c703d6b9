package io.fairlead.spi.served;

/**
 * How the messages of one endpoint reach its peer: in order, each once. A transport implements it. Called from the worker's thread, inside
 * posts and progress; it must not call the {@link RemoteRequester} or the {@link RemoteResponder} that calls it.
 */
public interface ServedChannel {
    /** What became of a message. */
    enum Outcome {
        /**
         * The channel took nothing of it. The transport calls {@link RemoteRequester#resume} or {@link RemoteResponder#resume} once there is room; it resumes
         * serving first, because answers are what the peer waits for.
         */
        FULL,
        /** The message has been copied, with its data. */
        COPIED,
        /**
         * The header has been copied, and the data will be read where it is. The transport calls {@link RemoteRequester#left} or {@link
         * RemoteResponder#left} when it has read the last byte, and gets no further message of that side before. Only for data
         * longer than {@link ServedLimits#copyMax}.
         */
        BORROWED
    }

    /**
     * Sends a message: the header, which {@link ServedMessage#write} writes, and the data behind it.
     *
     * <p>Where this throws because the data's memory was closed, the channel is as it was before.
     *
     * @param message the message, which is used for others after the call
     * @return what became of it
     */
    Outcome send(ServedMessage message);

    /**
     * Whether something may be asked of the peer now. A transport that does operations by other means too answers false while a fence
     * keeps what is to be asked behind those, and when the endpoint has failed; it calls {@link RemoteRequester#resume} when that has changed.
     *
     * @return true unless overridden
     */
    default boolean mayAsk() {
        return true;
    }

    /**
     * Memory of an operation was closed before the operation ended. Some of the operation has left, or its answer is here, so that only
     * the end of the endpoint can tell the peer: the transport fails the endpoint by {@link io.fairlead.spi.EndpointHost#failed} and hands nothing
     * more to the endpoint's asking side than {@link RemoteRequester#cancel}.
     *
     * @param cause what the access to the memory threw
     */
    void memoryClosed(IllegalStateException cause);
}
