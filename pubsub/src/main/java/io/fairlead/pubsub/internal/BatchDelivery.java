package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
import io.fairlead.Endpoint;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The batches of one stream. A batch is delivered when it arrives, in the memory of its message. What cannot be delivered then waits in
 * {@link Slots}, and {@link #deliverWaiting} delivers it.
 */
final class BatchDelivery {
    private final FrameReader frames;
    private final InPlaceIn inPlace;
    private final DeliveryPause pause;
    private final int deliverMax;
    /** Without capacity before the stream is accepted. */
    private Slots slots = new Slots(0, 0, 0);

    private long batchBytes;
    /** A longer batch has one message, and a context that fits a batch. */
    private long batchBytesMax;

    private boolean started;
    /** The reader has begun the oldest batch. */
    private boolean opened;
    /** Batches that are done with. */
    private long consumed;
    /** Frames that were delivered since the last turn. */
    private int delivered;

    BatchDelivery(LiveSubscription subscription, Endpoint endpoint, int deliverMax) {
        this.frames = new FrameReader(subscription, endpoint);
        this.inPlace = new InPlaceIn(endpoint);
        this.pause = subscription.pause();
        this.deliverMax = deliverMax;
    }

    /** Takes batches from now on, up to so many that wait. */
    void accept(int count, int bytes, long messageMax) {
        batchBytes = bytes;
        batchBytesMax = bytes + messageMax;
        slots.retire();
        slots = new Slots(count, bytes, 2 * messageMax);
    }

    /** Delivers from now on. */
    void start() {
        started = true;
    }

    /** Delivers nothing more, not even in a delivery that runs now. */
    void stop() {
        frames.stop();
    }

    /** Batches that are done with. */
    long consumed() {
        return consumed;
    }

    InPlaceIn inPlace() {
        return inPlace;
    }

    // Arrivals.

    /** A batch has arrived behind the header of its message, or is {@code placed} in the publisher's memory. */
    void arrived(boolean placed, MemorySegment header, ActiveMessage message) throws Malformed {
        if (slots.isFull()) {
            throw new Malformed("batch without credit: limit=" + slots.count() + " batches");
        }
        long head = header.get(Wire.LONG, 8);
        long length = message.length();
        if (placed) {
            long at = header.get(Wire.LONG, Wire.HEAD_BYTES + 8);
            long bytes = header.get(Wire.LONG, Wire.HEAD_BYTES + 16);
            if (bytes <= 0 || bytes > batchBytes || length != 0) {
                throw new Malformed("batch out of range: length=" + bytes + ", limit=" + batchBytes + ", payload="
                        + length + " bytes");
            }
            InPlaceIn.Region region = inPlace.arrived(header.get(Wire.LONG, Wire.HEAD_BYTES), at, bytes);
            deliverOrKeep(region.memory(), at, bytes, head, message, region);
        } else if (length <= 0 || length > batchBytesMax) {
            throw new Malformed("batch out of range: length=" + length + ", limit=" + batchBytesMax + " bytes");
        } else if (message.isWhole()) {
            deliverOrKeep(header, Wire.HEAD_BYTES, length, head, message, null);
        } else {
            slots.add(message, Wire.HEAD_BYTES, head);
        }
    }

    /** Delivers what may be delivered of a batch; the rest waits in a slot. */
    private void deliverOrKeep(
            MemorySegment memory,
            long at,
            long length,
            long head,
            ActiveMessage message,
            InPlaceIn.@Nullable Region region)
            throws Malformed {
        boolean begins = started && slots.isEmpty() && delivered < deliverMax;
        try {
            if (begins) {
                int before = delivered;
                // What a handler throws ends the delivery of this turn.
                delivered = deliverMax;
                opened = true;
                frames.open(memory, at, length, head);
                delivered = before + frames.read(deliverMax - before);
                if (frames.isDone()) {
                    close(region);
                    return;
                }
            }
        } finally {
            // Also behind an exception of a handler, even with nothing left to read.
            if (!begins || (opened && !frames.isStopped())) {
                long read = begins ? frames.rebase() : 0;
                if (region == null) {
                    slots.add(message, at + read, head);
                } else {
                    slots.add(region, at + read, length - read, head);
                }
            }
        }
    }

    /** The open batch has been read. */
    private void close(InPlaceIn.@Nullable Region region) {
        opened = false;
        consumed++;
        if (region != null) {
            inPlace.countRead(region);
        }
    }

    // Turns.

    /** A turn begins. */
    void beginTurn() {
        delivered = 0;
    }

    /** Takes messages that had no memory or operation, and delivers what waits, up to the limit of a turn. Returns how much was delivered. */
    int deliverWaiting() throws Malformed {
        int limit = deliverMax - delivered;
        delivered = 0;
        int work = 0;
        slots.takeKept();
        while (started && work < limit && slots.isReady() && !frames.isStopped() && !pause.isPaused()) {
            if (opened) {
                frames.resume(slots.segment(), slots.base());
            } else {
                opened = true;
                frames.open(slots.segment(), slots.base(), slots.length(), slots.head());
            }
            work += frames.read(limit - work);
            if (!frames.isDone() || frames.isStopped()) {
                break;
            }
            close(slots.region());
            slots.consume();
            work++;
        }
        return work;
    }

    /** Whether something waits to be delivered. */
    boolean isWaiting() {
        return !slots.isEmpty();
    }

    /** Whether a message waits for memory or an operation. */
    boolean hasKept() {
        return slots.hasKept();
    }

    /** Whether nothing more of what has arrived can be delivered. */
    boolean isExhausted() {
        return slots.isExhausted();
    }

    /** Reports to the publisher what was read in its memory; false if that has to wait. */
    boolean tryReport(ControlSender sender) {
        return inPlace.tryReport(sender, slots.isReady());
    }

    /** Frees the memory, now or as soon as the transport is done with it. May be called again. */
    void retire() {
        slots.retire();
        inPlace.retire();
    }
}
