package io.fairlead.pubsub;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.pubsub.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber's side of one stream: one join of one topic, from the request to the last frame.
 *
 * <p>Everything happens in {@link #progress}; completions only note what has arrived. A subscription that is closed leaves its intake to the
 * subscriber, which lets it read on to the END, so that no message of the stream stays behind unmatched.
 */
final class Intake {
    /** Less would make every batch wait for the credit of the one before. */
    private static final int SLOTS_MIN = 2;

    private static final int SLOTS_MAX = 4096;

    private enum Phase {
        /** The request is to be sent. */
        ASK,
        /** The answer is awaited. */
        ASKED,
        /** The snapshot is read and delivered; the stream gathers in the slots. */
        SNAPSHOT,
        /** The stream is delivered. */
        LIVE,
        /** The publisher broke the protocol; the connection is ending. */
        BROKEN,
        /** Nothing more will come. */
        OVER
    }

    private final LiveSubscription subscription;
    private final LiveSubscriber subscriber;
    private final Endpoint endpoint;
    private final int stream;
    private final Outbox outbox;
    private final LargeReceive large;
    private Slots slots;
    private Phase phase = Phase.ASK;
    private @Nullable Joined joined;
    private @Nullable SnapshotReader reader;
    private boolean selected;
    private int snapshotDelivered;
    private boolean startDue;
    private boolean flowing;

    /** Where the next frame is in the oldest slot. */
    private long offset;

    private long largeSequence;
    private long grantedTold;
    /** The subscription was told that it has joined. */
    private boolean accepted;

    private boolean refused;
    /** Given up by this side while the publisher still sends. */
    private boolean abandoned;

    /** Nothing is delivered any more; frames are read up to END. */
    private boolean draining;

    private boolean leaveDue;
    private boolean retired;
    private @Nullable FairleadException lost;
    private @Nullable FairleadException cause;

    Intake(LiveSubscription subscription, LiveSubscriber subscriber, Endpoint endpoint, int stream) {
        this.subscription = subscription;
        this.subscriber = subscriber;
        this.endpoint = endpoint;
        this.stream = stream;
        this.outbox = new Outbox(endpoint);
        this.large = new LargeReceive(endpoint, Wire.largeTag(stream));
        // The first message is the answer, which tells how large the slots for the rest must be.
        this.slots = newSlots(1, Wire.NOTICE_BYTES_MAX);
    }

    private Slots newSlots(int count, long slotBytes) {
        return new Slots(endpoint, Wire.streamTag(stream), count, slotBytes, subscription::head);
    }

    int stream() {
        return stream;
    }

    /** Whether it has nothing more to deliver. */
    boolean finished() {
        return phase == Phase.OVER || abandoned;
    }

    boolean accepted() {
        return accepted;
    }

    boolean refused() {
        return refused;
    }

    boolean abandoned() {
        return abandoned;
    }

    boolean lost() {
        return lost != null;
    }

    FairleadException cause() {
        return Objects.requireNonNull(cause, "only a finished stream has a cause");
    }

    /** The connection has ended; what has arrived is still delivered. */
    void lose(FairleadException why) {
        lost = why;
    }

    /** Unsubscribes; nothing is delivered any more. */
    void leave() {
        draining = true;
        leaveDue = true;
        abandoned = false;
        if (reader != null) {
            reader.retire();
            reader = null;
        }
        if (phase == Phase.SNAPSHOT) {
            phase = Phase.LIVE;
        }
    }

    /** Frees everything, now or as soon as the transport is done with it. */
    void retire() {
        retired = true;
        phase = Phase.OVER;
        if (reader != null) {
            reader.retire();
            reader = null;
        }
        slots.retire();
        large.retire();
        outbox.retire();
    }

    int progress(int limit) {
        try {
            return switch (phase) {
                case ASK -> ask();
                case ASKED -> answer();
                case SNAPSHOT -> snapshot(limit);
                case LIVE -> live(limit);
                case BROKEN -> end(lost, 0);
                case OVER -> 0;
            };
        } catch (Malformed e) {
            phase = Phase.BROKEN;
            subscriber.violate(endpoint, "topic=" + subscription.topic() + ", " + e.text());
            return 1;
        }
    }

    /** Is over for the reason if there is one. */
    private int end(@Nullable FairleadException why, int work) {
        if (why != null) {
            cause = why;
            phase = Phase.OVER;
        }
        return work;
    }

    private void abandon(FairleadException why, boolean forGood) {
        cause = why;
        refused = forGood;
        abandoned = true;
    }

    private int ask() {
        slots.post();
        if (lost != null || draining) {
            return end(lost != null ? lost : new FairleadException(Reason.CLOSED, "subscription was closed"), 1);
        }
        if (slots.posted() == 0) {
            return 0;
        }
        SubscriptionOptions options = subscription.options();
        Join join = new Join(
                stream,
                Wire.VERSION,
                options.startAt(),
                options.messageMax(),
                subscriber.options().name(),
                subscription.topic());
        if (!outbox.send(join.encode(outbox.segment()))) {
            return 0;
        }
        phase = Phase.ASKED;
        return 1;
    }

    private int answer() throws Malformed {
        if (!slots.ready()) {
            return end(lost, 0);
        }
        MemorySegment segment = slots.segment();
        long word = segment.get(Wire.LONG, 0);
        int payload = Wire.payloadLength(word);
        if (slots.length() > slots.slotBytes() || payload < 0 || Wire.frameBytes(payload) != slots.length()) {
            throw new Malformed("answer out of range: length=" + slots.length() + ", payload=" + payload + " bytes");
        }
        long sequence = segment.get(Wire.LONG, 8);
        switch (Wire.frameKind(word)) {
            case Wire.FRAME_REFUSED -> {
                refused = true;
                return end(Notice.decode(segment, Wire.HEADER_BYTES, payload), 1);
            }
            case Wire.FRAME_JOINED -> accept(Joined.decode(segment, Wire.HEADER_BYTES, payload, sequence));
            default -> throw new Malformed("stream does not start with an answer: kind=" + Wire.frameKind(word));
        }
        return 1;
    }

    private void accept(Joined answer) throws Malformed {
        SubscriptionOptions options = subscription.options();
        int count = (int) Math.min(SLOTS_MAX, options.windowBytes() / answer.batchBytes());
        slots.retire();
        joined = answer;
        startDue = true;
        phase = Phase.LIVE;
        if (draining || count < SLOTS_MIN) {
            // Without credit nothing will come but the END.
            slots = newSlots(1, Wire.NOTICE_BYTES_MAX);
            if (!draining) {
                abandon(
                        new FairleadException(
                                Reason.UNSUPPORTED,
                                "window holds too few batches: topic=" + subscription.topic() + ", windowBytes="
                                        + options.windowBytes() + ", batchBytes=" + answer.batchBytes()
                                        + "; raise SubscriptionOptions.windowBytes to " + SLOTS_MIN
                                        + " batches and more"),
                        true);
            }
            return;
        }
        // One more than is granted, so that the END always finds a receive.
        slots = newSlots(count + 1, answer.batchBytes());
        if (options.startAt() == StartAt.SNAPSHOT) {
            openSnapshot(answer);
        }
        if (!abandoned) {
            accepted = true;
            subscription.accepted(answer);
        }
    }

    private void openSnapshot(Joined answer) throws Malformed {
        SnapshotOptions layout = answer.snapshot().orElseThrow(() -> new Malformed("answer lacks the snapshot"));
        long bytes = SnapshotLayout.totalBytes(layout);
        if (bytes > subscription.options().snapshotMax()) {
            abandon(
                    new FairleadException(
                            Reason.UNSUPPORTED,
                            "snapshot is larger than the subscription accepts: topic=" + subscription.topic()
                                    + ", length="
                                    + bytes + ", snapshotMax="
                                    + subscription.options().snapshotMax()
                                    + " bytes; raise SubscriptionOptions.snapshotMax"),
                    true);
            return;
        }
        try {
            RemoteKey key = endpoint.unpack(answer.snapshotKey());
            if (key.length() < bytes) {
                throw new Malformed(
                        "snapshot's memory region is too short: length=" + key.length() + ", expected=" + bytes);
            }
            reader = new SnapshotReader(endpoint, layout, key);
            phase = Phase.SNAPSHOT;
        } catch (FairleadException e) {
            abandon(e, e.reason() == Reason.UNSUPPORTED);
        }
    }

    private int snapshot(int limit) throws Malformed {
        Joined answer = Objects.requireNonNull(joined);
        SnapshotReader source = Objects.requireNonNull(reader);
        if (lost != null) {
            return end(lost, 1);
        }
        postAndGrant();
        source.progress();
        if (source.status() != Status.OK) {
            Reason reason = source.status() == Status.UNSUPPORTED ? Reason.UNSUPPORTED : Reason.TRANSPORT;
            abandon(
                    new FairleadException(
                            reason,
                            "snapshot could not be read: topic=" + subscription.topic() + ", status="
                                    + source.status()),
                    reason == Reason.UNSUPPORTED);
            return 1;
        }
        if (!source.complete()) {
            return 0;
        }
        if (!selected) {
            source.select(answer.epoch(), subscription.passed(), answer.nextSequence());
            selected = true;
        }
        int work = 0;
        while (snapshotDelivered < source.count() && work < limit && phase == Phase.SNAPSHOT) {
            int index = snapshotDelivered++;
            work++;
            subscription.deliverSnapshot(
                    source.sequence(index), source.segment(), source.valueAt(index), source.length(index));
        }
        if (phase == Phase.SNAPSHOT && snapshotDelivered == source.count()) {
            finishSnapshot(source, answer);
        }
        return work + 1;
    }

    private void finishSnapshot(SnapshotReader source, Joined answer) {
        phase = Phase.LIVE;
        reader = null;
        startDue = false;
        source.retire();
        try {
            subscription.startStream(answer.nextSequence());
        } finally {
            if (!draining) {
                subscription.snapshotDelivered(snapshotDelivered);
            }
        }
    }

    private int live(int limit) throws Malformed {
        if (startDue && !draining) {
            startDue = false;
            subscription.startStream(Objects.requireNonNull(joined).nextSequence());
        }
        int work = 0;
        while (phase == Phase.LIVE && work < limit && slots.ready()) {
            int before = work;
            work += read(limit - work);
            if (phase == Phase.LIVE && offset == slots.length()) {
                slots.consume();
                offset = 0;
                work++;
            } else if (work == before) {
                break;
            }
        }
        if (phase != Phase.LIVE) {
            return work;
        }
        if (lost != null && (!slots.ready() || large.failed())) {
            return end(lost, work + 1);
        }
        postAndGrant();
        return work;
    }

    /** Reads frames of the oldest slot, and tells how many. */
    private int read(int limit) throws Malformed {
        MemorySegment segment = slots.segment();
        long length = slots.length();
        long base = slots.base();
        if (length > slots.slotBytes() || length == 0 || (length & 7) != 0) {
            throw new Malformed("batch out of range: length=" + length + ", limit=" + slots.slotBytes() + " bytes");
        }
        int work = 0;
        while (work < limit && phase == Phase.LIVE) {
            if ((large.pending() && !takeLarge()) || phase != Phase.LIVE || offset >= length) {
                break;
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
            offset += Wire.frameBytes(payload);
            work++;
            if (Wire.frameKind(word) == Wire.FRAME_DATA) {
                deliver(sequence, segment, at, payload);
            } else {
                readOther(Wire.frameKind(word), sequence, segment, at, payload);
            }
        }
        return work;
    }

    private void readOther(int kind, long sequence, MemorySegment segment, long at, int payload) throws Malformed {
        switch (kind) {
            case Wire.FRAME_LARGE -> {
                long length = payload == 8 ? segment.get(Wire.LONG, at) : -1;
                if (length < 0 || length > subscription.options().messageMax()) {
                    throw new Malformed("large message out of range: length=" + length + ", limit="
                            + subscription.options().messageMax() + " bytes");
                }
                largeSequence = sequence;
                large.expect(length, !draining);
            }
            case Wire.FRAME_END -> end(Notice.decode(segment, at, payload), 1);
            default -> throw new Malformed("unknown frame: kind=" + kind + ", sequence=" + sequence);
        }
    }

    /** Delivers the large message that was announced; false if it is not there yet. */
    private boolean takeLarge() throws Malformed {
        large.post();
        if (!large.ready()) {
            return false;
        }
        large.take();
        if (!large.asAnnounced()) {
            throw new Malformed("large message has another length than announced: announced=" + large.length());
        }
        deliver(largeSequence, large.segment(), 0, large.length());
        return true;
    }

    private void deliver(long sequence, MemorySegment segment, long at, long length) throws Malformed {
        if (draining) {
            return;
        }
        long expected = subscription.passed() + 1;
        if (sequence != expected) {
            if (sequence < expected) {
                throw new Malformed("sequence number went back: sequence=" + sequence + ", expected=" + expected);
            }
            missThenDeliver(sequence, segment, at, length);
            return;
        }
        subscription.deliver(sequence, segment, at, length);
    }

    private void missThenDeliver(long sequence, MemorySegment segment, long at, long length) {
        subscription.missUntil(sequence, GapCause.SLOW);
        if (!draining && !retired) {
            subscription.deliver(sequence, segment, at, length);
        }
    }

    private void postAndGrant() {
        if (lost != null || phase == Phase.OVER) {
            return;
        }
        slots.post();
        if (leaveDue) {
            if (outbox.idle()) {
                Wire.putUnsubscribe(outbox.segment(), stream);
                leaveDue = !outbox.send(Wire.UNSUBSCRIBE_BYTES);
            }
            return;
        }
        if (draining) {
            return;
        }
        long granted = slots.posted() - 1;
        long step = Math.max(1, slots.count() / 4);
        if (granted - grantedTold >= step && outbox.idle()) {
            if (!flowing && grantedTold > 0) {
                flowing = true;
                subscription.flowing();
            }
            Wire.putCredit(outbox.segment(), stream, granted, subscription.passed());
            if (outbox.send(Wire.CREDIT_BYTES)) {
                grantedTold = granted;
            }
        }
    }
}
