package io.fairlead.transport.tcp;

/** An endpoint as its parts see it: they ask for its state, and report what has to be done or has happened. */
interface TcpEndpointOwner {
    /** Whether nothing is read or written any more. */
    boolean isStopped();

    boolean isClosed();

    /** There is something to write. */
    void markDirty();

    /** The next turn reads again, whether the selector finds the socket readable or not. */
    void readSoon();

    /** The peer has ended the stream. */
    void ended();

    /** The memory of a receive was closed while its message was copied there. */
    void failMemoryClosed(IllegalStateException cause);
}
