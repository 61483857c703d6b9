package io.fairlead.transport.tcp;

import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Bytes that go to the socket straight from where they are, at their place among the queued frames. Pooled by {@link SendQueue}. */
final class Payload {
    /** A long transfer, which leaves in parts. */
    interface Transfer {
        /** A part is copied or with the socket; {@code gone} if its region was closed before that. */
        void partWritten(boolean gone);
    }

    /** How many queued bytes go before it, counted from the start of the stream. */
    long mark;

    MemorySegment segment = MemorySegment.NULL;
    long offset;
    long remaining;
    /** Completed when the last byte is with the socket. */
    @Nullable Operation operation;
    /** A synchronous send, which has to be matched besides. */
    @Nullable PendingOperation unmatched;
    /** The long transfer that it is a part of, which is told when the last byte is with the socket. */
    @Nullable Transfer transfer;
    /** The bytes are those of a region of this process, which has to be held whenever they are read. */
    boolean ofRegion;

    long regionId;
    /** The region was closed meanwhile, and zeros take the place of its bytes. */
    boolean gone;

    void clear() {
        segment = MemorySegment.NULL;
        operation = null;
        unmatched = null;
        transfer = null;
        ofRegion = false;
        gone = false;
    }
}
