package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one stream that could not be delivered when they arrived, the oldest first. A batch is copied or received into a slot, one that
 * is longer than that into memory that is kept for the next such one, and one in the publisher's memory stays there. So a stream that stands still
 * holds none of its endpoint's credits.
 */
final class Slots {
    private static final byte FREE = 0;
    /** The message is kept, because there was no operation or no memory for it. */
    private static final byte KEPT = 1;

    private static final byte ARRIVING = 2;
    private static final byte READY = 3;
    private static final byte FAILED = 4;

    /** What memory of long batches is kept, of as many as their sender has in flight. */
    private static final int SPARES = 2;

    private final int count;
    private final long slotBytes;
    private final long longBytesMax;
    private final PinnedMemory memory;
    private final Completion completion = this::received;
    private final byte[] states;
    private final MemorySegment[] segments;
    private final long[] bases;
    private final long[] lengths;
    private final long[] heads;
    private final @Nullable ActiveMessage[] kept;
    private final InPlaceIn.@Nullable Region[] regions;
    private final @Nullable PinnedMemory[] longs;
    private final @Nullable PinnedMemory[] spares = new PinnedMemory[SPARES];
    /** The memory of long batches in slots. */
    private long longBytes;

    private int first;
    private int used;
    private int keptCount;

    /**
     * Makes the memory.
     *
     * @param count the most batches
     * @param slotBytes memory of each
     * @param longBytesMax memory of longer batches, in all; one that is longer gets it alone
     */
    Slots(int count, long slotBytes, long longBytesMax) {
        this.count = count;
        this.slotBytes = slotBytes;
        this.longBytesMax = longBytesMax;
        this.memory = new PinnedMemory(count * slotBytes);
        this.states = new byte[count];
        this.segments = new MemorySegment[count];
        this.bases = new long[count];
        this.lengths = new long[count];
        this.heads = new long[count];
        this.kept = new ActiveMessage[count];
        this.regions = new InPlaceIn.Region[count];
        this.longs = new PinnedMemory[count];
    }

    int count() {
        return count;
    }

    boolean isEmpty() {
        return used == 0;
    }

    boolean isFull() {
        return used == count;
    }

    // Arrivals.

    private int next(long length, long head) {
        int slot = first + used;
        slot = slot < count ? slot : slot - count;
        used++;
        lengths[slot] = length;
        heads[slot] = head;
        return slot;
    }

    /** Adds a batch in the publisher's memory. */
    void add(InPlaceIn.Region region, long offset, long length, long head) {
        int slot = next(length, head);
        segments[slot] = region.memory();
        bases[slot] = offset;
        regions[slot] = region;
        states[slot] = READY;
    }

    /** Adds the rest of a batch, inside of the call that brings its message. */
    void add(ActiveMessage message, long from, long head) {
        long length = message.headerLength() + message.length() - from;
        int slot = next(length, head);
        boolean waits = length > slotBytes && keptCount > 0;
        if (waits || !tryTake(slot, message, from)) {
            message.keep();
            kept[slot] = message;
            bases[slot] = from;
            states[slot] = KEPT;
            keptCount++;
        }
    }

    /** Copies or receives a message; false if there is no memory or no operation for it. */
    private boolean tryTake(int slot, ActiveMessage message, long from) {
        long length = lengths[slot];
        MemorySegment target = memory.segment();
        long at = slot * slotBytes;
        PinnedMemory holder = memory;
        if (length > slotBytes) {
            PinnedMemory taken = takeLong(length);
            if (taken == null) {
                return false;
            }
            holder = taken;
            target = taken.segment();
            at = 0;
        }
        if (message.isWhole()) {
            MemorySegment.copy(message.buffer(), from, target, at, length);
            states[slot] = READY;
        } else {
            long result = message.receive(target, at, length, completion, slot);
            if (result == Endpoint.BACK_PRESSURE) {
                giveBack(holder);
                return false;
            }
            states[slot] = result < 0 ? FAILED : ARRIVING;
            if (result >= 0) {
                holder.begin();
            }
        }
        segments[slot] = target;
        bases[slot] = at;
        longs[slot] = holder == memory ? null : holder;
        return true;
    }

    /** Whether messages wait for memory or an operation. */
    boolean hasKept() {
        return keptCount > 0;
    }

    /** Takes the messages that had no memory or operation, as far as they have now. */
    void takeKept() {
        for (int i = 0; i < used && keptCount > 0; i++) {
            int slot = first + i < count ? first + i : first + i - count;
            ActiveMessage message = kept[slot];
            if (message != null) {
                if (!tryTake(slot, message, bases[slot])) {
                    return;
                }
                forget(slot, message);
            }
        }
    }

    private void forget(int slot, ActiveMessage message) {
        kept[slot] = null;
        keptCount--;
        message.release();
    }

    private void received(Request request) {
        int slot = (int) request.userData();
        PinnedMemory holder = longs[slot];
        states[slot] = request.status() == Status.OK ? READY : FAILED;
        (holder == null ? memory : holder).end();
    }

    // Memory of long batches.

    private @Nullable PinnedMemory takeLong(long length) {
        if (longBytes > 0 && longBytes + length > longBytesMax) {
            return null;
        }
        PinnedMemory found = null;
        for (int i = 0; i < SPARES && found == null; i++) {
            PinnedMemory spare = spares[i];
            if (spare != null && spare.segment().byteSize() >= length) {
                found = spare;
                spares[i] = null;
            }
        }
        if (found == null) {
            try {
                // A power of two, so that messages of about the same size find it again.
                found = new PinnedMemory(Long.highestOneBit(length - 1) << 1);
            } catch (OutOfMemoryError none) {
                // The message waits like one beyond the limit.
                return null;
            }
        }
        longBytes += found.segment().byteSize();
        return found;
    }

    private void giveBack(PinnedMemory holder) {
        if (holder == memory) {
            return;
        }
        longBytes -= holder.segment().byteSize();
        // The longest are kept.
        PinnedMemory least = holder;
        for (int i = 0; i < SPARES; i++) {
            PinnedMemory spare = spares[i];
            if (spare == null || spare.segment().byteSize() < least.segment().byteSize()) {
                spares[i] = least;
                if (spare == null) {
                    return;
                }
                least = spare;
            }
        }
        least.retire();
    }

    // The oldest batch.

    /** Whether the oldest batch is here. */
    boolean isReady() {
        return used > 0 && states[first] == READY;
    }

    /** Whether nothing more of what has arrived will be here. */
    boolean isExhausted() {
        return used == 0 || states[first] == FAILED;
    }

    MemorySegment segment() {
        return segments[first];
    }

    long base() {
        return bases[first];
    }

    long length() {
        return lengths[first];
    }

    /** The publisher's last sequence number when it sent the oldest batch. */
    long head() {
        return heads[first];
    }

    /** The region of the oldest batch; null if it is not in the publisher's memory. */
    InPlaceIn.@Nullable Region region() {
        return regions[first];
    }

    /** Frees the oldest slot. */
    void consume() {
        PinnedMemory holder = longs[first];
        if (holder != null) {
            longs[first] = null;
            giveBack(holder);
        }
        states[first] = FREE;
        segments[first] = MemorySegment.NULL;
        regions[first] = null;
        first = first + 1 == count ? 0 : first + 1;
        used--;
    }

    /** Forgets all batches, and frees the memory when the last receive has ended. */
    void retire() {
        if (memory.retired()) {
            return;
        }
        for (int slot = 0; slot < count; slot++) {
            ActiveMessage message = kept[slot];
            if (message != null) {
                forget(slot, message);
            }
            PinnedMemory holder = longs[slot];
            if (holder != null) {
                holder.retire();
            }
        }
        for (PinnedMemory spare : spares) {
            if (spare != null) {
                spare.retire();
            }
        }
        memory.retire();
    }
}
