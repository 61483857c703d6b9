package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A ring in memory of this process alone, whose records the peer sends in frames. */
final class StreamedRing extends RingReader {
    private final MemorySegment memory;
    /** The position behind the records that have arrived. */
    private long filled;
    /** The position that the peer knows. */
    private long reported;

    private StreamedRing(MemorySegment memory, long position) {
        super(memory.address(), position);
        this.memory = memory;
        this.filled = position;
        this.reported = position;
    }

    /** Goes on where another ring was left. */
    static StreamedRing after(RingReader left) {
        return new StreamedRing(KeptRing.newMemory(), left.position());
    }

    /**
     * Takes records, which {@link #tryNext} checks.
     *
     * @param records untrusted
     * @param filler whether the end of the ring stays unused behind them
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if there is no capacity for them
     */
    void take(ByteBuffer records, boolean filler) {
        int length = records.remaining();
        int at = (int) filled & (Ring.CAPACITY - 1);
        long end = filler ? (filled | (Ring.CAPACITY - 1)) + 1 : filled + length;
        if ((length & (Ring.ALIGNMENT - 1)) != 0
                || at + length + (filler ? Ring.ALIGNMENT : 0) > Ring.CAPACITY
                || end + Ring.STOP - position() > Ring.CAPACITY) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "the peer sends records without capacity: length=" + length + ", arrived=" + filled + ", read="
                            + position() + " bytes");
        }
        MemorySegment.copy(MemorySegment.ofBuffer(records), 0, memory, (long) Ring.RECORDS_AT + at, length);
        if (filler) {
            memory.set(JAVA_LONG, (long) Ring.RECORDS_AT + at + length, Ring.FILLER);
        }
        filled = end;
        // The reader stops here.
        memory.set(JAVA_LONG, Ring.RECORDS_AT + (end & (Ring.CAPACITY - 1)), 0L);
    }

    /** Whether all that has arrived was read; its position is published then. */
    boolean tryEnd() {
        if (position() != filled) {
            return false;
        }
        publishRead();
        return true;
    }

    /** Whether the peer is to be told how far this side has read. */
    boolean hasUnreported() {
        return reported != published();
    }

    void markReported() {
        reported = published();
    }
}
