package io.fairlead.transport.tcp;

/** The endpoint's interface to its parts: they read its state, and report work and events. */
interface TcpEndpointOwner {
    /** Whether nothing is read or written any more. */
    boolean isStopped();

    boolean isClosed();

    /** There is something to write. */
    void markDirty();

    /** The next turn reads again, whether or not the selector finds the socket readable. */
    void readSoon();

    /** The peer has ended the stream. */
    void ended();

    /** The memory of a receive was closed during the copy of its message. */
    void failMemoryClosed(IllegalStateException cause);
}
