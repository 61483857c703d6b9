package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
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
 * <p>A batch is delivered when it arrives, in the memory of its message. What cannot be delivered then waits in {@link Slots}, and {@link #progress}
 * delivers it. A subscription that is closed leaves its receiver to the subscriber, which lets it wait for the END: until then the stream's number is
 * in use.
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
    private final FrameReader frames;
    private final Notices notices = new Notices(this::readNotice);
    /** Without capacity before the answer. */
    private Slots slots = new Slots(0, 0, 0);

    private int batchBytes;
    /** The reader has begun the oldest batch in the slots. */
    private boolean opened;
    /** Batches that are done with. */
    private long consumed;
    /** Frames that were delivered since the last progress. */
    private int delivered;
    /** Why the publisher has ended the stream, behind the batches that have arrived. */
    private @Nullable FairleadException ended;

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

    /** Nothing is delivered any more; the END is awaited. */
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
        this.controlSender = new ControlSender(endpoint, stream);
        this.inPlace = new InPlaceIn(endpoint);
        this.frames = new FrameReader(subscription);
    }

    int stream() {
        return stream;
    }

    String topic() {
        return subscription.topic();
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
        return ended != null;
    }

    boolean lost() {
        return lost != null;
    }

    /** Whether a message of its own waits to be sent, or one of the publisher's to be received. */
    boolean isWaitingForRoom() {
        return phase == Phase.ASK || leaveDue || slots.hasKept() || notices.isWaiting();
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
        frames.stop();
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
        subscriber.forget(this);
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
        if ((draining || retired) && !slots.isRetired()) {
            frames.close();
            slots.retire();
            inPlace.retire();
        }
        if (retired && !freed) {
            freed = true;
            notices.retire();
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
                case ASKED, BROKEN -> end(lost, 0);
                case SNAPSHOT -> snapshot(limit);
                case LIVE -> live(limit);
                case OVER -> 0;
            };
        } catch (Malformed e) {
            fail(e);
            return 1;
        } finally {
            delivered = 0;
        }
    }

    private void fail(Malformed cause) {
        phase = Phase.BROKEN;
        subscriber.connection().failViolation(endpoint, "topic=" + subscription.topic() + ", " + cause.text());
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
        if (lost != null || draining) {
            return end(lost != null ? lost : new FairleadException(Reason.CLOSED, "subscription was closed"), 1);
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
        if (!controlSender.send(join)) {
            return 0;
        }
        phase = Phase.ASKED;
        return 1;
    }

    // Arrivals.

    /** A message of the stream has arrived. */
    void received(int kind, long value, ActiveMessage message) {
        if (phase == Phase.BROKEN || phase == Phase.OVER) {
            return;
        }
        progressing = true;
        try {
            take(kind, value, message);
        } catch (Malformed e) {
            fail(e);
        } finally {
            progressing = false;
            free();
        }
    }

    private void take(int kind, long value, ActiveMessage message) throws Malformed {
        int header = kind == Wire.PLACE ? Wire.PLACE_HEAD_BYTES : Wire.HEAD_BYTES;
        if (message.headerLength() != header) {
            throw new Malformed("header out of range: kind=" + kind + ", header=" + message.headerLength()
                    + ", expected " + header + " bytes");
        }
        if (kind != Wire.BATCH && kind != Wire.PLACE) {
            notices.arrived(message);
            return;
        }
        if (phase == Phase.ASK || phase == Phase.ASKED || ended != null) {
            throw new Malformed(ended == null ? "stream does not start with an answer" : "batch is behind the end");
        }
        if (draining || abandoned) {
            return;
        }
        if (slots.isFull()) {
            throw new Malformed("batch without credit: limit=" + slots.count() + " batches");
        }
        subscription.head(value);
        if (kind == Wire.PLACE) {
            takePlace(value, message);
        } else {
            takeBatch(value, message);
        }
        grant();
    }

    private void takeBatch(long head, ActiveMessage message) throws Malformed {
        long length = message.length();
        // A longer one has one message, and a context that fits a batch.
        long limit = batchBytes + subscription.options().messageMax();
        if (length <= 0 || length > limit) {
            throw new Malformed("batch out of range: length=" + length + ", limit=" + limit + " bytes");
        }
        long at = message.headerLength();
        if (!message.isWhole() || !mayDeliver()) {
            slots.add(message, at, head);
            return;
        }
        try {
            deliver(message.buffer(), at, length, head);
        } finally {
            if (isUnread()) {
                slots.add(message, at + frames.offset(), head);
                frames.rebase();
            }
        }
    }

    private void takePlace(long head, ActiveMessage message) throws Malformed {
        MemorySegment header = message.buffer();
        long at = header.get(Wire.LONG, Wire.HEAD_BYTES + 8);
        long length = header.get(Wire.LONG, Wire.HEAD_BYTES + 16);
        if (length <= 0 || length > batchBytes || message.length() != 0) {
            throw new Malformed("batch out of range: length=" + length + ", limit=" + batchBytes + ", payload="
                    + message.length() + " bytes");
        }
        InPlaceIn.Region region = inPlace.arrived(header.get(Wire.LONG, Wire.HEAD_BYTES), at, length);
        if (!mayDeliver()) {
            slots.add(region, at, length, head);
            return;
        }
        try {
            deliver(region.memory(), at, length, head);
        } finally {
            if (isUnread()) {
                slots.add(region, at + frames.offset(), length - frames.offset(), head);
                frames.rebase();
            } else {
                inPlace.countRead(region);
            }
        }
    }

    /** Whether a batch may be delivered when it arrives. */
    private boolean mayDeliver() {
        return phase == Phase.LIVE
                && !startDue
                && slots.isEmpty()
                && delivered < subscriber.options().deliverMax()
                && subscription.wantsMessage();
    }

    private void deliver(MemorySegment memory, long at, long length, long head) throws Malformed {
        int limit = subscriber.options().deliverMax();
        int before = delivered;
        // What a handler throws ends the delivery of this progress.
        delivered = limit;
        opened = true;
        frames.open(memory, at, length, head);
        delivered = before + frames.read(limit - before);
        if (frames.isDone()) {
            opened = false;
            frames.close();
            consumed++;
        }
    }

    /** Whether a batch that was begun is to be read on, or ended in an exception of a handler with nothing left to read. */
    private boolean isUnread() {
        return opened && !draining && !retired;
    }

    private void readNotice(int kind, long value, MemorySegment memory, long at, long length) {
        try {
            read(kind, value, memory, at, length);
        } catch (Malformed e) {
            fail(e);
        }
    }

    private void read(int kind, long value, MemorySegment memory, long at, long length) throws Malformed {
        boolean isAnswer = kind == Wire.JOINED || kind == Wire.REFUSED;
        if (phase == Phase.BROKEN || phase == Phase.OVER) {
            return;
        }
        if (isAnswer != (phase == Phase.ASKED) || phase == Phase.ASK || ended != null) {
            throw new Malformed("message does not belong here: kind=" + kind);
        }
        switch (kind) {
            case Wire.JOINED -> accept(JoinReply.decode(memory, at, length, value));
            case Wire.REFUSED -> {
                refusal = value == Wire.REFUSED_FOR_NOW
                        ? LiveSubscription.Refusal.FOR_NOW
                        : LiveSubscription.Refusal.FOR_GOOD;
                cause = Notice.decode(memory, at, length);
                phase = Phase.OVER;
            }
            case Wire.REGION -> {
                if (!draining) {
                    inPlace.map(memory, at, length);
                }
            }
            case Wire.END -> {
                ended = Notice.decode(memory, at, length);
                // Messages that no batch brought are missed.
                subscription.head(value);
            }
            default -> throw new Malformed("unknown message: kind=" + kind);
        }
    }

    private void accept(JoinReply answer) throws Malformed {
        SubscriptionOptions options = subscription.options();
        int count = (int) Math.min(SLOTS_MAX, options.windowBytes() / answer.batchBytes());
        joined = answer;
        batchBytes = answer.batchBytes();
        startDue = true;
        phase = Phase.LIVE;
        // Without credit nothing will come but the END.
        if (draining) {
            return;
        }
        if (count < SLOTS_MIN) {
            abandon(new FairleadException(
                    Reason.UNSUPPORTED,
                    "window holds too few batches: topic=" + subscription.topic() + ", windowBytes="
                            + options.windowBytes() + ", batchBytes=" + answer.batchBytes()
                            + "; raise SubscriptionOptions.windowBytes to " + SLOTS_MIN + " batches and more"));
            return;
        }
        slots.retire();
        slots = new Slots(count, batchBytes, 2 * options.messageMax());
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
        grant();
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
        // After a loss too: what has arrived is delivered as soon as there is memory for it.
        slots.takeKept();
        int work = draining ? 0 : read(limit - delivered);
        if (!isDelivering(Phase.LIVE)) {
            return work;
        }
        if (ended != null && (draining || slots.isEmpty())) {
            return end(ended, work);
        }
        if (lost != null && (draining || slots.isExhausted())) {
            return end(lost, work + 1);
        }
        grant();
        return work;
    }

    /** Delivers what waits in the slots, a limited number of frames, and returns how much was done. */
    private int read(int limit) throws Malformed {
        int work = 0;
        while (work < limit && slots.isReady() && isDelivering(Phase.LIVE)) {
            if (opened) {
                frames.resume(slots.segment(), slots.base());
            } else {
                opened = true;
                frames.open(slots.segment(), slots.base(), slots.length(), slots.head());
            }
            work += frames.read(limit - work);
            if (!frames.isDone() || draining || phase != Phase.LIVE) {
                break;
            }
            InPlaceIn.Region region = slots.region();
            if (region != null) {
                inPlace.countRead(region);
            }
            opened = false;
            frames.close();
            slots.consume();
            consumed++;
            work++;
        }
        return work;
    }

    private void grant() {
        if (lost != null || phase == Phase.OVER || phase == Phase.BROKEN) {
            return;
        }
        slots.takeKept();
        notices.retry();
        if (leaveDue) {
            if (controlSender.idle()) {
                leaveDue = !controlSender.send(Wire.UNSUBSCRIBE, 0, 0);
            }
            return;
        }
        if (draining) {
            return;
        }
        inPlace.tell(controlSender, slots.isReady());
        long granted = consumed + slots.count();
        long step = Math.max(1, slots.count() / 4);
        if (granted - grantedTold >= step && controlSender.idle()) {
            if (!flowing && grantedTold > 0) {
                flowing = true;
                subscription.flowing();
            }
            if (controlSender.send(Wire.CREDIT, granted, subscription.passed())) {
                grantedTold = granted;
            }
        }
    }
}
