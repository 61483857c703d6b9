package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;

/** Reads the frames of a stream, one batch after the other: checks them, and delivers their messages in order. */
final class FrameReader {
    private final LiveSubscription subscription;
    private final Endpoint endpoint;
    private final DeliveryPause pause;
    private final Demand demand;
    private final boolean isUnlimited;
    /** The batch that is read: its memory, where it begins there, and its length. */
    private MemorySegment batch = MemorySegment.NULL;

    private long base;
    private long length;
    /** Where the next frame is in the batch. */
    private long offset;

    /** The publisher's last sequence number when it sent the batch. */
    private long headSequence;

    /** The next message is the first of its batch; within a batch none is left out. */
    private boolean first;
    /** The context of the message with that sequence number. Most have none: a collector watches every store of a reference. */
    private MessageContext context = MessageContext.EMPTY;

    private long contextSequence;

    private boolean stopped;

    FrameReader(LiveSubscription subscription, Endpoint endpoint) {
        this.subscription = subscription;
        this.endpoint = endpoint;
        this.pause = subscription.pause();
        this.demand = subscription.demand;
        this.isUnlimited = demand.equals(Demand.UNLIMITED);
    }

    /** Nothing more is read, not even by a read that runs now. */
    void stop() {
        stopped = true;
    }

    boolean isStopped() {
        return stopped;
    }

    /** Begins a batch. */
    void open(MemorySegment memory, long at, long bytes, long head) {
        batch = memory;
        base = at;
        length = bytes;
        offset = 0;
        headSequence = head;
        first = true;
    }

    /** Only the rest of the batch is left, wherever it moves. Returns how much has been read. */
    long rebase() {
        long read = offset;
        batch = MemorySegment.NULL;
        length -= read;
        offset = 0;
        return read;
    }

    /** Goes on with the batch, which begins there. */
    void resume(MemorySegment memory, long at) {
        batch = memory;
        base = at;
    }

    /** Whether all of the batch has been read. */
    boolean isDone() {
        return offset == length;
    }

    /** Delivers what is left of the batch, a limited number of frames, and returns how many. */
    int read(int limit) throws Malformed {
        // In locals, which the loop keeps in registers.
        MemorySegment segment = batch;
        long length = this.length;
        long base = this.base;
        int frames = 0;
        while (offset < length && frames < limit && !stopped && !pause.isPaused()) {
            if (length - offset < Wire.HEADER_BYTES) {
                throw new Malformed("batch ends in the middle of a frame: length=" + length + ", offset=" + offset);
            }
            long word = segment.get(Wire.LONG, base + offset);
            long sequence = segment.get(Wire.LONG, base + offset + 8);
            int payload = Wire.payloadLength(word);
            int kind = Wire.frameKind(word);
            long at = base + offset + Wire.HEADER_BYTES;
            long bytes = Wire.frameBytes(payload);
            if (payload < 0 || bytes > length - offset) {
                throw new Malformed(
                        "frame leaves its batch: offset=" + offset + ", payload=" + payload + ", batch=" + length);
            }
            if (kind == Wire.FRAME_DATA) {
                if (!isNext(sequence)) {
                    break;
                }
                offset += bytes;
                deliver(sequence, segment, at, payload);
            } else if (kind == Wire.FRAME_LARGE) {
                long large = largeLength(segment, at, payload);
                if (!isNext(sequence)) {
                    break;
                }
                offset = length;
                deliver(sequence, segment, at + Long.BYTES, large);
            } else if (kind == Wire.FRAME_CONTEXT) {
                readContext(sequence, segment, at, payload);
                offset += bytes;
            } else {
                throw new Malformed("unknown frame: kind=" + kind + ", sequence=" + sequence);
            }
            frames++;
        }
        return frames;
    }

    /** The length of a large message, which is the rest of its batch. */
    private long largeLength(MemorySegment segment, long at, int payload) throws Malformed {
        long bytes = payload == Long.BYTES ? segment.get(Wire.LONG, at) : -1;
        long limit = subscription.options().messageMax();
        long rest = length - offset - Wire.LARGE_FRAME_BYTES;
        if (bytes != rest || bytes > limit) {
            throw new Malformed("large message out of range: length=" + bytes + ", limit=" + limit
                    + ", rest of the batch=" + rest + " bytes");
        }
        return bytes;
    }

    private void readContext(long sequence, MemorySegment segment, long at, int payload) throws Malformed {
        try {
            context = MessageContext.decode(segment, at, payload);
            contextSequence = sequence;
        } catch (FairleadException malformed) {
            throw new Malformed(malformed.getMessage() + ", sequence=" + sequence);
        }
    }

    /** Checks a message's number and reports the gap before it. Returns false if the message is not wanted now. */
    private boolean isNext(long sequence) throws Malformed {
        long expected = subscription.passed() + 1;
        if (sequence < expected) {
            throw new Malformed("sequence number went back: sequence=" + sequence + ", expected=" + expected);
        }
        boolean mayLeaveOut = first;
        first = false;
        if (sequence > expected) {
            // A damaged number would be a position that no later message reaches.
            if (!mayLeaveOut || sequence > headSequence) {
                throw new Malformed("sequence number is ahead: sequence=" + sequence + ", expected=" + expected
                        + (mayLeaveOut ? ", lastSequence=" + headSequence : " within a batch"));
            }
            // With the connection go long messages that were still at the publisher, and not the short ones behind
            // them.
            boolean lost = endpoint.state() != EndpointState.CONNECTED;
            subscription.missUntil(sequence, lost ? GapCause.DISCONNECTED : GapCause.SLOW);
            if (stopped || pause.isPaused()) {
                return false;
            }
        }
        return isUnlimited || demand.wantsMessage();
    }

    private void deliver(long sequence, MemorySegment segment, long at, long length) {
        MessageContext brought = MessageContext.EMPTY;
        if (contextSequence == sequence) {
            brought = context;
            context = MessageContext.EMPTY;
            contextSequence = 0;
        }
        subscription.deliver(sequence, segment, at, length, brought);
    }
}
