package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber's side of one stream: one join of one topic, from the request to the last frame.
 *
 * <p>Everything happens in {@link #progress}; completions only record what has arrived. A subscription that is closed leaves its receiver to the
 * subscriber, which lets it read on to the END, so that no message of the stream stays behind unmatched.
 */
final class StreamReceiver {
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
    private final ControlSender controlSender;
    private final InPlaceIn inPlace;
    private Slots slots;
    private FrameReader frames;
    private Phase phase = Phase.ASK;
    private @Nullable JoinReply joined;
    private @Nullable SnapshotDelivery snapshot;
    private boolean startDue;
    private boolean flowing;

    private long grantedTold;
    /** The subscription has been notified that it has joined. */
    private boolean accepted;

    private LiveSubscription.@Nullable Refusal refusal;
    /** This side cannot receive it from any publisher. */
    private boolean unacceptable;
    /** Given up by this side while the publisher still sends. */
    private boolean abandoned;

    /** Nothing is delivered any more; frames are read up to END. */
    private boolean draining;

    private boolean leaveDue;
    /** A handler may be running. */
    private boolean progressing;
    /** Nothing here is used any more. */
    private boolean retired;

    private boolean freed;
    private @Nullable FairleadException lost;
    private @Nullable FairleadException cause;

    StreamReceiver(LiveSubscription subscription, LiveSubscriber subscriber, Endpoint endpoint, int stream) {
        this.subscription = subscription;
        this.subscriber = subscriber;
        this.endpoint = endpoint;
        this.stream = stream;
        this.controlSender = new ControlSender(endpoint);
        this.inPlace = new InPlaceIn(endpoint, stream);
        // The first message is the answer, which has the size of the slots for the rest.
        this.slots = newSlots(1, Wire.NOTICE_BYTES_MAX);
        this.frames = newFrames(0);
    }

    private Slots newSlots(int count, long slotBytes) {
        return new Slots(endpoint, Wire.streamTag(stream), count, slotBytes, subscription::head);
    }

    private FrameReader newFrames(long lastSequence) {
        return new FrameReader(
                subscription, slots, new LargeReceive(endpoint, Wire.largeTag(stream)), inPlace, lastSequence);
    }

    int stream() {
        return stream;
    }

    /** Whether it still delivers what has come from an endpoint. */
    boolean reads(Endpoint from) {
        return endpoint.equals(from) && !draining && !finished();
    }

    /** Whether it has nothing more to deliver. */
    boolean finished() {
        return phase == Phase.OVER || abandoned;
    }

    boolean accepted() {
        return accepted;
    }

    /** How the publisher has refused it; null if it has not. */
    LiveSubscription.@Nullable Refusal refusal() {
        return refusal;
    }

    /** Whether this side cannot receive it from any publisher. */
    boolean unacceptable() {
        return unacceptable;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    boolean abandoned() {
        return abandoned;
    }

    /** Whether the publisher has said that this is the end. */
    boolean isEndedByPublisher() {
        return frames.end() != null;
    }

    boolean lost() {
        return lost != null;
    }

    /** Whether a message of its own waits to be sent. */
    boolean isWaitingForRoom() {
        return phase == Phase.ASK || leaveDue;
    }

    FairleadException cause() {
        return Objects.requireNonNull(cause, "only a finished stream has a cause");
    }

    /** The connection has ended; what has arrived is still delivered. */
    void lose(FairleadException why) {
        if (lost == null) {
            // What arrived may wait for demand while the connection is made again, whose failures end nothing here.
            lost = why;
        }
    }

    /** Unsubscribes; nothing is delivered any more. */
    void leave() {
        draining = true;
        leaveDue = true;
        abandoned = false;
        frames.drain();
        if (phase == Phase.SNAPSHOT) {
            phase = Phase.LIVE;
        }
        free();
    }

    /** Frees everything, now or as soon as the transport is done with it. */
    void retire() {
        phase = Phase.OVER;
        retired = true;
        frames.stop();
        free();
    }

    /** Frees what is of no use any more; behind a handler that runs now, which still has its message. */
    private void free() {
        if (progressing) {
            return;
        }
        if (snapshot != null && phase != Phase.SNAPSHOT) {
            snapshot.retire();
            snapshot = null;
        }
        if (retired && !freed) {
            freed = true;
            frames.retire();
            controlSender.retire();
        }
    }

    int progress(int limit) {
        progressing = true;
        try {
            return advance(limit);
        } finally {
            progressing = false;
            free();
        }
    }

    private int advance(int limit) {
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
            subscriber.connection().failViolation(endpoint, "topic=" + subscription.topic() + ", " + e.text());
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

    /** Gives the stream up: for good where this side cannot have it, else until the next connection. */
    private void abandon(FairleadException why) {
        cause = why;
        unacceptable = why.reason() == Reason.UNSUPPORTED;
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
        JoinRequest join = new JoinRequest(
                stream,
                Wire.VERSION,
                options.startAt(),
                true,
                true,
                options.messageMax(),
                subscriber.options().name(),
                subscription.topic());
        if (!controlSender.send(join.encode(controlSender.segment()))) {
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
                refusal = sequence == Wire.REFUSED_FOR_NOW
                        ? LiveSubscription.Refusal.FOR_NOW
                        : LiveSubscription.Refusal.FOR_GOOD;
                return end(Notice.decode(segment, Wire.HEADER_BYTES, payload), 1);
            }
            case Wire.FRAME_JOINED -> accept(JoinReply.decode(segment, Wire.HEADER_BYTES, payload, sequence));
            default -> throw new Malformed("stream does not start with an answer: kind=" + Wire.frameKind(word));
        }
        return 1;
    }

    private void accept(JoinReply answer) throws Malformed {
        SubscriptionOptions options = subscription.options();
        int count = (int) Math.min(SLOTS_MAX, options.windowBytes() / answer.batchBytes());
        frames.retire();
        joined = answer;
        startDue = true;
        phase = Phase.LIVE;
        if (draining || count < SLOTS_MIN) {
            // Without credit nothing will come but the END.
            slots = newSlots(1, Wire.NOTICE_BYTES_MAX);
            frames = newFrames(answer.nextSequence() - 1);
            if (draining) {
                frames.drain();
            } else {
                abandon(new FairleadException(
                        Reason.UNSUPPORTED,
                        "window holds too few batches: topic=" + subscription.topic() + ", windowBytes="
                                + options.windowBytes() + ", batchBytes=" + answer.batchBytes()
                                + "; raise SubscriptionOptions.windowBytes to " + SLOTS_MIN + " batches and more"));
            }
            return;
        }
        // One more than is granted, so that the END always finds a receive.
        slots = newSlots(count + 1, answer.batchBytes());
        frames = newFrames(answer.nextSequence() - 1);
        if (options.startAt() == StartAt.SNAPSHOT) {
            openSnapshot(answer);
        }
        if (!abandoned) {
            accepted = true;
            subscription.accepted(answer);
        }
    }

    private void openSnapshot(JoinReply answer) throws Malformed {
        try {
            snapshot = SnapshotDelivery.open(subscription, endpoint, answer);
            phase = Phase.SNAPSHOT;
        } catch (FairleadException e) {
            abandon(e);
        }
    }

    private int snapshot(int limit) throws Malformed {
        SnapshotDelivery source = Objects.requireNonNull(snapshot);
        if (lost != null) {
            return end(lost, 1);
        }
        postAndGrant();
        try {
            if (!source.tryRead()) {
                return 0;
            }
        } catch (FairleadException e) {
            abandon(e);
            return 1;
        }
        int work = source.deliver(limit, () -> phase == Phase.SNAPSHOT && subscription.wantsMessage());
        if (phase == Phase.SNAPSHOT && source.isDelivered()) {
            finishSnapshot(source);
        }
        // Without demand there is nothing to do until the worker is woken.
        return subscription.wantsMessage() ? work + 1 : work;
    }

    /** Whether no handler has closed or paused anything meanwhile. */
    private boolean isDelivering(Phase during) {
        return phase == during && !subscription.isPaused();
    }

    private void finishSnapshot(SnapshotDelivery source) {
        phase = Phase.LIVE;
        startDue = false;
        subscription.startStream(Objects.requireNonNull(joined).nextSequence());
        if (!draining) {
            subscription.snapshotDelivered(source.delivered());
        }
    }

    private int live(int limit) throws Malformed {
        if (startDue && !draining) {
            startDue = false;
            subscription.startStream(Objects.requireNonNull(joined).nextSequence());
        }
        int work = frames.read(limit);
        if (!isDelivering(Phase.LIVE)) {
            return work;
        }
        if (frames.end() != null) {
            return end(frames.end(), work);
        }
        if (lost != null && frames.exhausted()) {
            return end(lost, work + 1);
        }
        postAndGrant();
        return work;
    }

    private void postAndGrant() {
        if (lost != null || phase == Phase.OVER) {
            return;
        }
        slots.post();
        if (leaveDue) {
            if (controlSender.idle()) {
                Wire.putUnsubscribe(controlSender.segment(), stream);
                leaveDue = !controlSender.send(Wire.UNSUBSCRIBE_BYTES);
            }
            return;
        }
        if (draining) {
            return;
        }
        inPlace.tell(controlSender, slots.ready());
        long granted = slots.posted() - 1;
        long step = Math.max(1, slots.count() / 4);
        if (granted - grantedTold >= step && controlSender.idle()) {
            if (!flowing && grantedTold > 0) {
                flowing = true;
                subscription.flowing();
            }
            Wire.putCredit(controlSender.segment(), stream, granted, subscription.passed());
            if (controlSender.send(Wire.CREDIT_BYTES)) {
                grantedTold = granted;
            }
        }
    }
}
