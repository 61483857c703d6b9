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
    /** Where the next frame is in the oldest slot. */
    private long offset;

    /** The publisher's last sequence number when it sent what is in the oldest slot. */
    private long headSequence;

    /** The next message is the first of its batch; within a batch none is left out. */
    private boolean first;

    private long largeSequence;
    /** Of the message of that sequence number, which comes next. */
    private MessageContext context = MessageContext.EMPTY;

    private long contextSequence;
    /** Nothing is delivered any more; frames are read up to END. */
    private boolean draining;

    private boolean retired;
    private @Nullable FairleadException end;

    /**
     * Starts at the beginning of a stream.
     *
     * @param lastSequence the publisher's last sequence number before it
     */
    FrameReader(LiveSubscription subscription, Slots slots, LargeReceive large, long lastSequence) {
        this.subscription = subscription;
        this.headSequence = lastSequence;
        this.slots = slots;
        this.large = large;
    }

    void drain() {
        draining = true;
    }

    /** Frees the slots, now or as soon as the transport is done with them; a read that runs now stops. */
    void retire() {
        retired = true;
        slots.retire();
        large.retire();
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
        return end == null && !retired && !subscription.isPaused();
    }

    /** Delivers what is there, a limited number of frames, and tells how much was done. */
    int read(int limit) throws Malformed {
        int work = 0;
        while (going() && work < limit && slots.ready()) {
            int frames = readSlot(limit - work);
            work += frames;
            if (going() && offset == slots.length()) {
                if (large.pending() && !takeLarge()) {
                    break;
                }
                if (going()) {
                    slots.consume();
                    offset = 0;
                    work++;
                }
            } else if (frames == 0) {
                break;
            }
        }
        return work;
    }

    /** Reads frames of the oldest slot, and tells how many. */
    private int readSlot(int limit) throws Malformed {
        MemorySegment segment = slots.segment();
        long length = slots.length();
        long base = slots.base();
        if (length > slots.slotBytes() || length == 0 || (length & 7) != 0) {
            throw new Malformed("batch out of range: length=" + length + ", limit=" + slots.slotBytes() + " bytes");
        }
        if (offset == 0) {
            headSequence = Wire.headSequence(slots.tag(), headSequence);
            first = true;
        }
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

    /** Delivers the large message that was announced; false if it is not there yet, or nobody wants it now. */
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

    /** Checks a message's number and tells the gap before it; false if nobody wants the message now. */
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
            // Believed, a damaged number would be a position that no later message reaches. A stream that stood still
            // for 2^31 messages,
            // more than a tag tells apart, is joined anew too.
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
