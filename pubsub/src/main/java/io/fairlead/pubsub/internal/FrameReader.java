package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Takes the frames of a stream out of its slots, checks them, and delivers their messages in order. */
final class FrameReader {
    private final LiveSubscription subscription;
    private final Slots slots;
    private final LargeReceive large;
    private final InPlaceIn inPlace;
    /** The batch that is read: its memory, where it begins there, and its length. */
    private MemorySegment batch = MemorySegment.NULL;

    private long base;
    private long length;
    /** The batch is where the publisher keeps it, and the oldest slot says where. */
    private boolean placed;
    /** The batch is known. */
    private boolean opened;
    /** Where the next frame is in the batch. */
    private long offset;

    /** The publisher's last sequence number when it sent what is in the oldest slot. */
    private long headSequence;

    /** The next message is the first of its batch; within a batch none is left out. */
    private boolean first;

    private long largeSequence;
    /** The context of the next message, which has that sequence number. */
    private MessageContext context = MessageContext.EMPTY;

    private long contextSequence;
    /** Nothing is delivered any more; frames are read up to END. */
    private boolean draining;

    private boolean stopped;
    private @Nullable FairleadException end;

    /**
     * Starts at the beginning of a stream.
     *
     * @param inPlace the publisher's memory
     * @param lastSequence the publisher's last sequence number before it
     */
    FrameReader(LiveSubscription subscription, Slots slots, LargeReceive large, InPlaceIn inPlace, long lastSequence) {
        this.subscription = subscription;
        this.headSequence = lastSequence;
        this.slots = slots;
        this.large = large;
        this.inPlace = inPlace;
    }

    void drain() {
        draining = true;
        skipPlaced();
    }

    /** The publisher may write there again as soon as it knows that this side has left. */
    private void skipPlaced() {
        if (placed) {
            offset = length;
        }
    }

    /** Nothing more is read, not even by a read that runs now. */
    void stop() {
        stopped = true;
    }

    /** Frees the slots, now or as soon as the transport is done with them. */
    void retire() {
        stop();
        slots.retire();
        large.retire();
        inPlace.retire();
    }

    /** What the END said; null before it. */
    @Nullable FairleadException end() {
        return end;
    }

    /** Whether nothing more can be delivered of what has arrived. */
    boolean exhausted() {
        return !slots.ready() || large.failed();
    }

    private boolean going() {
        return end == null && !stopped && !subscription.isPaused();
    }

    /** Delivers what is there, a limited number of frames, and returns how much was done. */
    int read(int limit) throws Malformed {
        int work = 0;
        while (going() && work < limit && slots.ready()) {
            int frames = readSlot(limit - work);
            work += frames;
            if (going() && opened && offset == length) {
                if (large.pending() && !takeLarge()) {
                    break;
                }
                if (going()) {
                    consume();
                    work++;
                }
            } else if (frames == 0) {
                break;
            }
        }
        return work;
    }

    private void consume() {
        slots.consume();
        if (placed) {
            inPlace.countRead();
        }
        opened = false;
        placed = false;
        batch = MemorySegment.NULL;
    }

    /** Finds the batch of the oldest slot. */
    private void open() throws Malformed {
        batch = slots.segment();
        base = slots.base();
        length = checked(slots.length());
        headSequence = Wire.headSequence(slots.tag(), headSequence);
        first = true;
        offset = 0;
        opened = true;
        if (length == Wire.frameBytes(Wire.PLACE_BYTES)
                && batch.get(Wire.LONG, base) == Wire.word(Wire.FRAME_PLACE, Wire.PLACE_BYTES)) {
            long place = base + Wire.HEADER_BYTES;
            long number = batch.get(Wire.LONG, place);
            base = batch.get(Wire.LONG, place + 8);
            length = checked(batch.get(Wire.LONG, place + 16));
            placed = true;
            batch = inPlace.memory(number, base, length);
            if (draining) {
                skipPlaced();
            }
        }
    }

    private long checked(long bytes) throws Malformed {
        if (bytes > slots.slotBytes() || bytes <= 0 || (bytes & 7) != 0) {
            throw new Malformed("batch out of range: length=" + bytes + ", limit=" + slots.slotBytes() + " bytes");
        }
        return bytes;
    }

    /** Reads frames of the oldest slot, and returns how many. */
    private int readSlot(int limit) throws Malformed {
        if (!opened) {
            open();
        }
        // In locals, which the loop keeps in registers.
        MemorySegment segment = batch;
        long length = this.length;
        long base = this.base;
        int frames = 0;
        while (going() && frames < limit && offset < length) {
            if (large.pending()) {
                if (!takeLarge()) {
                    break;
                }
                continue;
            }
            if (length - offset < Wire.HEADER_BYTES) {
                throw new Malformed("batch ends in the middle of a frame: length=" + length + ", offset=" + offset);
            }
            long word = segment.get(Wire.LONG, base + offset);
            long sequence = segment.get(Wire.LONG, base + offset + 8);
            int payload = Wire.payloadLength(word);
            long at = base + offset + Wire.HEADER_BYTES;
            if (payload < 0 || Wire.frameBytes(payload) > length - offset) {
                throw new Malformed(
                        "frame leaves its batch: offset=" + offset + ", payload=" + payload + ", batch=" + length);
            }
            boolean data = Wire.frameKind(word) == Wire.FRAME_DATA;
            if (data && !isNext(sequence)) {
                break;
            }
            offset += Wire.frameBytes(payload);
            frames++;
            if (data) {
                deliver(sequence, segment, at, payload);
            } else {
                readOther(Wire.frameKind(word), sequence, segment, at, payload);
            }
        }
        return frames;
    }

    private void readOther(int kind, long sequence, MemorySegment segment, long at, int payload) throws Malformed {
        switch (kind) {
            case Wire.FRAME_LARGE -> {
                long length = payload == 8 ? segment.get(Wire.LONG, at) : -1;
                long limit = subscription.options().messageMax();
                if (length < 0 || length > limit) {
                    throw new Malformed("large message out of range: length=" + length + ", limit=" + limit + " bytes");
                }
                largeSequence = sequence;
                large.expect(length, !draining);
            }
            case Wire.FRAME_CONTEXT -> readContext(sequence, segment, at, payload);
            case Wire.FRAME_REGION -> inPlace.map(segment, at, payload);
            case Wire.FRAME_END -> end = Notice.decode(segment, at, payload);
            default -> throw new Malformed("unknown frame: kind=" + kind + ", sequence=" + sequence);
        }
    }

    private void readContext(long sequence, MemorySegment segment, long at, int payload) throws Malformed {
        try {
            context = MessageContext.decode(segment, at, payload);
            contextSequence = sequence;
        } catch (FairleadException malformed) {
            throw new Malformed(malformed.getMessage() + ", sequence=" + sequence);
        }
    }

    /** Delivers the large message that was announced. Returns false if it is not there yet, or not wanted now. */
    private boolean takeLarge() throws Malformed {
        large.post();
        if (!large.ready()) {
            return false;
        }
        if (!large.asAnnounced()) {
            throw new Malformed("large message has another length than announced: announced=" + large.length());
        }
        if (!isNext(largeSequence)) {
            return false;
        }
        large.take();
        deliver(largeSequence, large.segment(), 0, large.length());
        return true;
    }

    /** Checks a message's number and reports the gap before it. Returns false if the message is not wanted now. */
    private boolean isNext(long sequence) throws Malformed {
        if (draining) {
            return true;
        }
        long expected = subscription.passed() + 1;
        if (sequence < expected) {
            throw new Malformed("sequence number went back: sequence=" + sequence + ", expected=" + expected);
        }
        boolean mayLeaveOut = first;
        first = false;
        if (sequence > expected) {
            // A damaged number would be a position that no later message reaches. A stream that stalled for 2^31
            // messages, more than a tag
            // distinguishes, is joined again too.
            if (!mayLeaveOut || sequence > headSequence) {
                throw new Malformed("sequence number is ahead: sequence=" + sequence + ", expected=" + expected
                        + (mayLeaveOut ? ", lastSequence=" + headSequence : " within a batch"));
            }
            subscription.missUntil(sequence, GapCause.SLOW);
            if (!going()) {
                return false;
            }
        }
        return draining || subscription.hasDemand();
    }

    private void deliver(long sequence, MemorySegment segment, long at, long length) {
        if (draining) {
            return;
        }
        subscription.deliver(sequence, segment, at, length, takeContext(sequence));
    }

    /** The context of a message. Most have none, and then nothing is stored: a collector watches every store of a reference. */
    private MessageContext takeContext(long sequence) {
        MessageContext brought = context;
        if (brought.isEmpty()) {
            return brought;
        }
        context = MessageContext.EMPTY;
        return contextSequence == sequence ? brought : MessageContext.EMPTY;
    }
}
