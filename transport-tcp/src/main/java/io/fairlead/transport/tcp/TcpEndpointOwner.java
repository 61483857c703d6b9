package io.fairlead.transport.tcp;

import org.jspecify.annotations.Nullable;

/** The endpoint's interface to its parts: they read its state, and report work and events. */
interface TcpEndpointOwner {
    /** Whether nothing is read or written any more. */
    boolean isStopped();

    boolean isClosed();

    /** The messages of remote memory access; created when either side first needs them. */
    MemoryFrames memory();

    /** The same, or null if there have been none. */
    @Nullable MemoryFrames usedMemory();

    /** The long outgoing transfers; created with the first. */
    Streams streams();

    /** There is something to write. */
    void markDirty();

    /** The next turn reads again, whether or not the selector finds the socket readable. */
    void readSoon();

    /** The peer has ended the stream. */
    void ended();

    /** The memory of a receive was closed during the copy of its message. */
    void failMemoryClosed(IllegalStateException cause);
}
