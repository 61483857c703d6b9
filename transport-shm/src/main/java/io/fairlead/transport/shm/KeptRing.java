package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The peer's ring, with a copy of its records in memory of this process alone: what the peer has not read can be sent to
 * it another way, whatever has become of the ring. Records are written to the copy first.
 */
final class KeptRing extends PeerRing {
    /** The peer's position in the first line, as in a ring, and the records. */
    private final MemorySegment kept;

    private final long records;
    /** The peer's ring; 0 once it was left. */
    private long ring;

    /** The memory of the peer is still mapped. */
    private boolean mapped = true;
    /** How much was sent another way. */
    private long sent;

    /** Creates it with memory of {@link #newMemory}, which this keeps alive. */
    private KeptRing(EndpointHost host, long slab, long ring, MemorySegment kept) {
        super(host, slab, ring, kept.address() + Ring.RECORDS_AT);
        this.kept = kept;
        this.records = kept.address() + Ring.RECORDS_AT;
        this.ring = ring;
    }

    /** As {@link PeerRing#open}. */
    static KeptRing open(EndpointHost host, long slab) {
        return new KeptRing(host, slab, RingSlots.ringAddress(slab), newMemory());
    }

    /** Memory for a ring of this process alone, filled with zeroes. */
    static MemorySegment newMemory() {
        return Arena.ofAuto().allocate(Ring.SIZE, Ring.LINE);
    }

    @Override
    void publish(int kind, long length, long tag, int payload) {
        super.publish(kind, length, tag, payload);
        if (ring != 0) {
            int at = record();
            long target = ring + Ring.RECORDS_AT;
            MemorySegment.copy(
                    kept,
                    (long) Ring.RECORDS_AT + at + Ring.TAG_AT,
                    Ring.MEMORY,
                    target + at + Ring.TAG_AT,
                    (long) Ring.span(payload) - Ring.TAG_AT);
            Ring.MEMORY.set(JAVA_LONG, target + (written() & (Ring.CAPACITY - 1)), 0L);
            Ring.publish(target + at, length << Ring.KIND_BITS | kind);
        }
    }

    @Override
    void fill(int offset) {
        super.fill(offset);
        if (ring != 0) {
            Ring.MEMORY.set(JAVA_LONG, ring + Ring.RECORDS_AT, 0L);
            Ring.publish(ring + Ring.RECORDS_AT + offset, Ring.FILLER);
        }
    }

    @Override
    void prefetchForWrite() {
        if (ring != 0) {
            prefetchForWrite(ring + Ring.RECORDS_AT);
        }
    }

    @Override
    void wake() {
        if (ring != 0) {
            super.wake();
        }
    }

    /** Nothing is written to the peer's ring any more, nor read there. */
    void leave() {
        ring = 0;
        Ring.publishPosition(kept.address(), read());
        follow(kept.address(), read());
    }

    /**
     * Goes on behind what the peer has read from its ring, which it no longer uses.
     *
     * @param position what the peer says; untrusted
     * @return the number of bytes that are sent again
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if it cannot have read that much, or had read more
     */
    long resume(long position) {
        checkPosition(position);
        Ring.publishPosition(kept.address(), position);
        follow(kept.address(), position);
        sent = position;
        unmap();
        return written() - position;
    }

    /** The peer has read more; untrusted. */
    void takePosition(long position) {
        checkPosition(position);
        if (position > sent) {
            throw falsePosition(position);
        }
        Ring.publishPosition(kept.address(), position);
    }

    private void checkPosition(long position) {
        if (position < Ring.readerPosition(kept.address())
                || position > written()
                || (position & (Ring.ALIGNMENT - 1)) != 0) {
            throw falsePosition(position);
        }
    }

    private FairleadException falsePosition(long position) {
        return new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "the peer says that it has read what was not sent: position=" + position + ", allowed "
                        + Ring.readerPosition(kept.address()) + " to " + written() + " bytes, in steps of "
                        + Ring.ALIGNMENT);
    }

    /** Whether records are left to send. */
    boolean hasUnsent() {
        return sent != written();
    }

    /**
     * Appends whole records to a frame, without going past it.
     *
     * @return true if they are followed by a filler, which ends at the end of the ring
     */
    boolean take(ByteBuffer frame) {
        long from = sent;
        long to = from;
        boolean filler = false;
        while (to < written() && !filler) {
            long at = to & (Ring.CAPACITY - 1);
            long word = Ring.MEMORY.get(JAVA_LONG, records + at);
            if (word == Ring.FILLER && endOfLap(to) <= written()) {
                filler = true;
            } else {
                int span = Ring.span(RingReader.payload((int) (word & Ring.KIND_MASK), word >>> Ring.KIND_BITS));
                if (span <= 0 || at + span > Ring.CAPACITY || to + span > written()) {
                    // The peer has named a position between two records.
                    throw falsePosition(from);
                }
                if (to + span - from > frame.remaining()) {
                    break;
                }
                to += span;
                if (at + span == Ring.CAPACITY) {
                    break;
                }
            }
        }
        long at = Ring.RECORDS_AT + (from & (Ring.CAPACITY - 1));
        frame.put(kept.asSlice(at, to - from).asByteBuffer());
        sent = filler ? endOfLap(to) : to;
        return filler;
    }

    private static long endOfLap(long position) {
        return (position | (Ring.CAPACITY - 1)) + 1;
    }

    /** What {@link #take} has taken was not sent. */
    void untake(long position) {
        sent = position;
    }

    long sent() {
        return sent;
    }

    /**
     * Goes on in another ring, whose reader has read all that was sent another way.
     *
     * @param slab the ring's memory; belongs to this
     * @throws FairleadException {@code PROTOCOL_VIOLATION} if the peer has not said that it has read all that was sent
     */
    void enter(long slab) {
        move(slab);
        mapped = true;
        if (Ring.readerPosition(kept.address()) != sent) {
            throw falsePosition(Ring.readerPosition(kept.address()));
        }
        ring = RingSlots.ringAddress(slab);
        follow(ring, sent);
        if (sent != written()) {
            copyUnsent();
        }
    }

    /** All but the first word, then that one, for which the reader looks. */
    private void copyUnsent() {
        long target = ring + Ring.RECORDS_AT;
        Ring.MEMORY.set(JAVA_LONG, target + (written() & (Ring.CAPACITY - 1)), 0L);
        for (long at = sent + Long.BYTES; at < written(); ) {
            long from = at & (Ring.CAPACITY - 1);
            long length = Math.min(written() - at, Ring.CAPACITY - from);
            MemorySegment.copy(kept, Ring.RECORDS_AT + from, Ring.MEMORY, target + from, length);
            at += length;
        }
        long first = sent & (Ring.CAPACITY - 1);
        Ring.publish(target + first, Ring.MEMORY.get(JAVA_LONG, records + first));
    }

    private void unmap() {
        if (mapped) {
            mapped = false;
            super.close();
        }
    }

    @Override
    public void close() {
        ring = 0;
        unmap();
    }
}
