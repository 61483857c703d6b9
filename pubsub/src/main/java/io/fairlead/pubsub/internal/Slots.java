package io.fairlead.pubsub.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;

/**
 * A ring of posted receives for the messages of one stream. Messages match receives in the order of posting, but completions may come in
 * any order, so the ring is read at its oldest receive only.
 */
final class Slots {
    private static final byte FREE = 0;
    private static final byte POSTED = 1;
    private static final byte READY = 2;
    private static final byte FAILED = 3;

    private final Endpoint endpoint;
    private final long tag;
    private final int count;
    private final long slotBytes;
    private final PinnedMemory memory;
    private final LongConsumer arrivals;
    private final Completion completion = this::received;
    private final byte[] states;
    private final long[] lengths;
    private final long[] tags;
    private final long[] requests;
    /** Receives posted so far. */
    private long posted;

    private int first;
    private int next;
    private int used;

    /**
     * Makes the memory; posts nothing.
     *
     * @param endpoint the publisher
     * @param tag the stream's
     * @param count receives that are posted at once
     * @param slotBytes memory of each
     * @param arrivals called with the tag of each message that arrives
     */
    Slots(Endpoint endpoint, long tag, int count, long slotBytes, LongConsumer arrivals) {
        this.endpoint = endpoint;
        this.tag = tag;
        this.count = count;
        this.slotBytes = slotBytes;
        this.arrivals = arrivals;
        this.memory = new PinnedMemory(count * slotBytes);
        this.states = new byte[count];
        this.lengths = new long[count];
        this.tags = new long[count];
        this.requests = new long[count];
    }

    /** Posts as many receives as the worker takes. */
    void post() {
        while (used < count) {
            long result = endpoint.receive(
                    memory.segment(), next * slotBytes, slotBytes, tag, Wire.TAG_MASK, completion, next);
            if (result < 0) {
                return;
            }
            memory.begin();
            states[next] = POSTED;
            requests[next] = result;
            next = next + 1 == count ? 0 : next + 1;
            used++;
            posted++;
        }
    }

    private void received(Request request) {
        int slot = (int) request.userData();
        Status status = request.status();
        if (status == Status.OK || status == Status.TRUNCATED) {
            states[slot] = READY;
            lengths[slot] = request.length();
            tags[slot] = request.tag();
            arrivals.accept(request.tag());
        } else {
            states[slot] = FAILED;
        }
        memory.end();
    }

    long posted() {
        return posted;
    }

    int count() {
        return count;
    }

    /** Whether the oldest receive has a message. */
    boolean ready() {
        return states[first] == READY;
    }

    MemorySegment segment() {
        return memory.segment();
    }

    /** Where the oldest message is. */
    long base() {
        return first * slotBytes;
    }

    /** The oldest message's length; more than {@link #slotBytes()} if it did not fit. */
    long length() {
        return lengths[first];
    }

    /** The oldest message's tag. */
    long tag() {
        return tags[first];
    }

    long slotBytes() {
        return slotBytes;
    }

    /** Frees the oldest slot. */
    void consume() {
        states[first] = FREE;
        first = first + 1 == count ? 0 : first + 1;
        used--;
    }

    /** Withdraws the receives, and frees the memory when the last has ended. */
    void retire() {
        if (memory.retired()) {
            return;
        }
        for (int slot = 0; slot < count; slot++) {
            if (states[slot] == POSTED) {
                endpoint.worker().cancel(requests[slot]);
            }
        }
        memory.retire();
    }
}
