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
 * The subscriber's side of one stream: one join of one topic, from the request to the last frame, and the credit of its publisher.
 *
 * <p>A subscription that is closed leaves its receiver to the subscriber, which lets it wait for the END: until then the stream's number is in use.
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
    final Endpoint endpoint;
    final int stream;
    private final ControlSender controlSender;
    private final BatchDelivery batches;
    private final Notices notices = new Notices(this::readNotice);
    /** There is something to do before anything arrives. */
    private boolean due = true;

    // How it has gone, for the subscription to read.

    /** The subscription has been notified that it has joined. */
    boolean accepted;
    /** How the publisher has refused it; null if it has not. */
    LiveSubscription.@Nullable Refusal refusal;
    /** This side cannot receive it from any publisher. */
    boolean unacceptable;
    /** Given up by this side while the publisher still sends. */
    boolean abandoned;

    /** Why the publisher has ended the stream, behind the batches that have arrived. */
    private @Nullable FairleadException ended;

    private Phase phase = Phase.ASK;
    private @Nullable JoinReply joined;
    private @Nullable SnapshotDelivery snapshot;
    private boolean startDue;
    /** Batches that the publisher may send before the first is done with. */
    private long window;
    /** Credit is due when so many batches are done with. */
    private long creditAt = Long.MAX_VALUE;
    /** Credits that were sent. */
    private long credits;
    /** Nothing is delivered any more; the END is awaited. */
    private boolean draining;

    private boolean leaveDue;
    /** A handler may be running. */
    private boolean progressing;
    /** Nothing here is used any more. */
    private boolean retired;

    private @Nullable FairleadException lost;
    private @Nullable FairleadException cause;

    StreamReceiver(LiveSubscription subscription, LiveSubscriber subscriber, Endpoint endpoint, int stream) {
        this.subscription = subscription;
        this.subscriber = subscriber;
        this.endpoint = endpoint;
        this.stream = stream;
        this.controlSender = new ControlSender(endpoint, stream);
        this.batches =
                new BatchDelivery(subscription, endpoint, subscriber.options().deliverMax());
    }

    String topic() {
        return subscription.topic();
    }

    /** Whether it has nothing more to deliver. */
    boolean finished() {
        return phase == Phase.OVER || abandoned;
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
        return phase == Phase.ASK || leaveDue || batches.hasKept() || notices.isWaiting();
    }

    FairleadException cause() {
        return Objects.requireNonNull(cause, "only a finished stream has a cause");
    }

    /** The connection has ended; what has arrived is still delivered. */
    void lose(FairleadException why) {
        if (lost == null) {
            // What arrived may wait for demand while the connection is made again, whose failures end nothing here.
            lost = why;
            due = true;
        }
    }

    /** Unsubscribes; nothing is delivered any more. */
    void leave() {
        draining = true;
        leaveDue = true;
        abandoned = false;
        due = true;
        batches.stop();
        if (phase == Phase.SNAPSHOT) {
            phase = Phase.LIVE;
        }
        free();
    }

    /** Frees everything, now or as soon as the transport is done with it. */
    void retire() {
        phase = Phase.OVER;
        retired = true;
        batches.stop();
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
        if (draining || retired) {
            batches.retire();
        }
        if (retired) {
            notices.retire();
            controlSender.retire();
        }
    }

    /** Does what is due, and delivers what waits. */
    int progress() {
        if (!due) {
            batches.beginTurn();
            return 0;
        }
        progressing = true;
        try {
            return switch (phase) {
                case ASK -> ask();
                case ASKED, BROKEN -> end(lost, 0);
                case SNAPSHOT -> snapshot();
                case LIVE -> live();
                case OVER -> 0;
            };
        } catch (Malformed e) {
            fail(e);
            return 1;
        } finally {
            progressing = false;
            free();
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
    void received(MemorySegment header, int headerLength, ActiveMessage message) {
        if (phase == Phase.BROKEN || phase == Phase.OVER) {
            return;
        }
        boolean wasDue = due;
        due = true;
        progressing = true;
        try {
            int kind = header.get(Wire.INT, 0);
            int expected = kind == Wire.PLACE ? Wire.PLACE_HEAD_BYTES : Wire.HEAD_BYTES;
            if (headerLength != expected) {
                throw new Malformed("header out of range: kind=" + kind + ", header=" + headerLength + ", expected "
                        + expected + " bytes");
            }
            if (kind == Wire.BATCH || kind == Wire.PLACE) {
                boolean placed = kind == Wire.PLACE;
                take(placed, header, message);
                // Credit at once, because the turn may bring many more.
                boolean granted = draining || batches.consumed() < creditAt || tryGrant();
                due = wasDue || placed || draining || !granted || batches.isWaiting();
            } else {
                notices.arrived(message);
            }
        } catch (Malformed e) {
            fail(e);
        } finally {
            progressing = false;
            free();
        }
    }

    private void take(boolean placed, MemorySegment header, ActiveMessage message) throws Malformed {
        if (phase == Phase.ASK || phase == Phase.ASKED || ended != null) {
            throw new Malformed(ended == null ? "stream does not start with an answer" : "batch is behind the end");
        }
        if (draining || abandoned) {
            return;
        }
        subscription.head(header.get(Wire.LONG, 8));
        batches.arrived(placed, header, message);
    }

    private void readNotice(int kind, long value, MemorySegment memory, long at, long length) {
        due = true;
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
                    batches.inPlace().map(memory, at, length);
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
        batches.accept(count, answer.batchBytes(), options.messageMax());
        window = count;
        creditAt = 0;
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

    private int snapshot() throws Malformed {
        SnapshotDelivery source = Objects.requireNonNull(snapshot);
        if (lost != null) {
            return end(lost, 1);
        }
        int _ = batches.deliverWaiting();
        boolean _ = tryNotify();
        try {
            if (!source.tryRead()) {
                return 0;
            }
        } catch (FairleadException e) {
            abandon(e);
            return 1;
        }
        int work = source.deliver(
                subscriber.options().deliverMax(), () -> phase == Phase.SNAPSHOT && subscription.wantsMessage());
        if (phase == Phase.SNAPSHOT && source.isDelivered()) {
            finishSnapshot(source);
        }
        // Without demand there is nothing to do until the worker is woken.
        return subscription.wantsMessage() ? work + 1 : work;
    }

    private void finishSnapshot(SnapshotDelivery source) {
        phase = Phase.LIVE;
        startStream();
        if (!draining) {
            subscription.snapshotDelivered(source.delivered());
        }
    }

    private void startStream() {
        startDue = false;
        batches.start();
        subscription.startStream(Objects.requireNonNull(joined).nextSequence());
    }

    private int live() throws Malformed {
        if (startDue && !draining) {
            startStream();
        }
        // After a loss too: what has arrived is delivered as soon as there is memory for it.
        int work = batches.deliverWaiting();
        if (phase != Phase.LIVE || subscriber.isPaused()) {
            return work;
        }
        if (ended != null && (draining || !batches.isWaiting())) {
            return end(ended, work);
        }
        if (lost != null) {
            return draining || batches.isExhausted() ? end(lost, work + 1) : work;
        }
        boolean notified = tryNotify();
        due = !notified || draining || ended != null || batches.isWaiting();
        return work;
    }

    /** Sends what the publisher is to know; false if some of it has to wait. */
    private boolean tryNotify() {
        notices.retry();
        if (leaveDue && controlSender.idle()) {
            leaveDue = !controlSender.send(Wire.UNSUBSCRIBE, 0, 0);
        }
        if (draining) {
            return !leaveDue;
        }
        return batches.tryReport(controlSender)
                && (batches.consumed() < creditAt || tryGrant())
                && !notices.isWaiting();
    }

    /** Permits more batches; false if that has to wait. */
    private boolean tryGrant() {
        if (!controlSender.idle()) {
            return false;
        }
        long consumed = batches.consumed();
        if (!controlSender.send(Wire.CREDIT, consumed + window, subscription.passed())) {
            return false;
        }
        creditAt = consumed + Math.max(1, window / 4);
        credits++;
        if (credits == 2) {
            subscription.flowing();
        }
        return true;
    }
}
