package io.fairlead.transport.tcp;

import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Bytes that go to the socket straight from where they are, at their place among the queued frames. Pooled by {@link SendQueue}. */
final class Payload {
    /** How many queued bytes go before it, counted from the start of the stream. */
    long mark;

    MemorySegment segment = MemorySegment.NULL;
    long offset;
    long remaining;
    /** Completed when the last byte is with the socket. */
    @Nullable Operation operation;
    /** A synchronous send, which has to be matched besides. */
    @Nullable PendingOperation unmatched;
    /** A part of a long transfer, whose {@link Streams} is told when the last byte is with the socket. */
    boolean part;
    /** The bytes are those of a region of this process, which has to be held whenever they are read. */
    boolean ofRegion;

    long regionId;
    /** The region was closed meanwhile, and zeros take the place of its bytes. */
    boolean gone;

    void clear() {
        segment = MemorySegment.NULL;
        operation = null;
        unmatched = null;
        part = false;
        ofRegion = false;
        gone = false;
    }
}
