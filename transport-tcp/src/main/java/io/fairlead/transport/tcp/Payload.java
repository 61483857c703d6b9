package io.fairlead.transport.tcp;

import io.fairlead.spi.Operation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that are written to the socket in place, at their position among the queued frames. Pooled by
 * {@link SendQueue}.
 */
final class Payload {
    /** A long transfer, which is sent in parts. */
    interface Transfer {
        /** A part was copied or written to the socket; {@code gone} if its region was closed before that. */
        void partWritten(boolean gone);
    }

    /** The number of queued bytes before it, counted from the start of the stream. */
    long mark;

    MemorySegment segment = MemorySegment.NULL;
    long offset;
    long remaining;
    /** Completed when the last byte was written to the socket. */
    @Nullable Operation operation;
    /** A synchronous send, which must also be matched. */
    @Nullable PendingOperation unmatched;
    /** The long transfer of this part, notified when the last byte was written to the socket. */
    @Nullable Transfer transfer;
    /** The bytes belong to a region of this process, which must be acquired for each read. */
    boolean ofRegion;

    long regionId;
    /** The region was closed meanwhile, and its bytes are replaced by zeros. */
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
