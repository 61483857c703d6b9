package io.fairlead.pubsub.internal;

import io.fairlead.Authorizer.Verdict;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.ReconnectPolicy;
import io.fairlead.TransportInfo;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.StartAt;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription over all its joins: what it has delivered, what it has missed, and when to join again.
 *
 * <p>Changes its own state before it calls the application, so that an exception from there leaves nothing half done.
 */
final class LiveSubscription implements Subscription, ContextTotals.Source {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSubscription.class);
    /** The pause before a missing topic is requested again. */
    private static final ReconnectPolicy REFUSAL_PAUSES =
            ReconnectPolicy.always(Duration.ofMillis(20), Duration.ofSeconds(1));

    private final LiveSubscriber subscriber;
    private final String topic;
    private final SubscriptionOptions options;
    private final MessageHandler handler;
    private final SubscriptionEvents events;
    final Demand demand;
    private final SingleWriterCounter received = new SingleWriterCounter();
    private final SingleWriterCounter bytesReceived = new SingleWriterCounter();
    private final SingleWriterCounter gaps = new SingleWriterCounter();
    private final SingleWriterCounter missed = new SingleWriterCounter();
    private final SingleWriterCounter joins = new SingleWriterCounter();
    private final SingleWriterCounter lastSequence = new SingleWriterCounter();
    private final SingleWriterCounter headSequence = new SingleWriterCounter();
    /** Delivered or missed. */
    private final SingleWriterCounter passedSequence = new SingleWriterCounter();

    private final JoinedFuture joined = new JoinedFuture(CompletableFuture::new);
    private volatile SubscriptionState state = SubscriptionState.WAITING;
    private @Nullable StreamReceiver receiver;
    /** The publisher of the last join; 0 before the first. */
    private long epoch;

    /**
     * The first sequence number of this publisher that is missed if it does not come. What is before it was never wanted by a
     * subscription that was new, or comes with a snapshot if it is still there.
     */
    private long baseSequence;

    private long joinAtNs;
    private boolean backingOff;
    /** The publisher has ended the last stream, and not the connection. */
    private boolean endedByPublisher;

    /** Pauses before joins since messages have flowed. */
    private int pauses;
    /** Refusals since the last join. */
    private int refusals;
    /** The pauses behind them, in all: what of {@link SubscriptionOptions#topicTimeout()} is used up. */
    private long refusedNs;

    private @Nullable FairleadException refusal;
    /** The connection whose publisher has refused it last. */
    private @Nullable Endpoint refusedBy;

    LiveSubscription(
            LiveSubscriber subscriber,
            String topic,
            SubscriptionOptions options,
            MessageHandler handler,
            SubscriptionEvents events,
            Demand demand) {
        this.subscriber = subscriber;
        this.topic = topic;
        this.options = Objects.requireNonNull(options, "options");
        this.handler = Objects.requireNonNull(handler, "handler");
        this.events = Objects.requireNonNull(events, "events");
        this.demand = demand;
    }

    int progress() {
        StreamReceiver current = receiver;
        if (current != null) {
            int work = current.progress();
            if (current.finished() && receiver == current) {
                finish(current);
                return work + 1;
            }
            return work;
        }
        if (state != SubscriptionState.WAITING) {
            return 0;
        }
        if (subscriber.connection().givenUp().isPresent()) {
            end(subscriber.connection().givenUp().get());
            return 1;
        }
        return join();
    }

    /** How long the worker may wait for its next progress. */
    long maxWaitNs() {
        StreamReceiver current = receiver;
        if (current != null) {
            return current.isWaitingForRoom() ? LiveSubscriber.RETRY_NS : Long.MAX_VALUE;
        }
        if (subscriber.connection().givenUp().isPresent()) {
            return 0;
        }
        if (subscriber.connection().usable().isEmpty()) {
            return Long.MAX_VALUE;
        }
        return backingOff ? joinAtNs - System.nanoTime() : 0;
    }

    private int join() {
        Endpoint endpoint = subscriber.connection().usable().orElse(null);
        if (endpoint == null || (backingOff && System.nanoTime() - joinAtNs < 0)) {
            return 0;
        }
        backingOff = false;
        Verdict verdict = subscriber.worker().context().authorizer().publish(endpoint.peerIdentity(), topic);
        if (!verdict.isAllowed()) {
            refuse(
                    new FairleadException(
                            Reason.REFUSED,
                            "publisher is not allowed to publish: topic=" + topic + ", identity="
                                    + endpoint.peerIdentity() + "; " + verdict.reason()),
                    endpoint,
                    Refusal.FOR_GOOD);
            return 1;
        }
        if (options.startAt() == StartAt.SNAPSHOT && !canGet(endpoint)) {
            refuse(
                    new FairleadException(
                            Reason.UNSUPPORTED,
                            "path cannot read a snapshot: topic=" + topic + ", path="
                                    + endpoint.path().map(Path::toString).orElse("none")
                                    + "; start at NEXT, or use a transport with GET"),
                    endpoint,
                    Refusal.FOR_GOOD);
            return 1;
        }
        state = SubscriptionState.JOINING;
        receiver = subscriber.newReceiver(this, endpoint);
        return 1;
    }

    private boolean canGet(Endpoint endpoint) {
        String transport = endpoint.path().map(Path::transport).orElse("");
        for (TransportInfo info : subscriber.worker().context().transports()) {
            if (info.name().equals(transport)) {
                return info.capabilities().contains(Capability.GET);
            }
        }
        return false;
    }

    /** How long a refusal of a publisher is good for. */
    enum Refusal {
        /** The same request will be refused again. */
        FOR_GOOD,
        /** The publisher may come to have the topic. */
        FOR_NOW
    }

    /** It may not join here. Another member of a service may take it, and the topic may still be made. */
    private void refuse(FairleadException cause, Endpoint by, Refusal how) {
        boolean mayChange = how == Refusal.FOR_NOW || subscriber.connection().isOfService();
        long leftNs = options.topicTimeout().toNanos() - refusedNs;
        if (!mayChange || leftNs <= 0) {
            end(cause);
            return;
        }
        if (refusals == 0) {
            subscriber
                    .connection()
                    .warn("a publisher refuses a subscription, which asks again: topic=" + topic + ", topicTimeout="
                            + options.topicTimeout().toMillis() + " ms, cause: " + cause.getMessage());
        }
        long pauseNs = Math.min(
                leftNs,
                REFUSAL_PAUSES
                        .shortenedPause(refusals++, ThreadLocalRandom.current())
                        .toNanos());
        refusedNs += pauseNs;
        state = SubscriptionState.WAITING;
        backingOff = true;
        joinAtNs = System.nanoTime() + pauseNs;
        refusal = cause;
        refusedBy = by;
        subscriber.refused();
    }

    /** Whether the publisher of that connection was the last one tried, and has refused it. */
    boolean isRefusedBy(Endpoint connection) {
        return state == SubscriptionState.WAITING && connection.equals(refusedBy);
    }

    /** Why it was refused the last time. */
    FairleadException refusal() {
        return Objects.requireNonNull(refusal, "only a refused subscription has a refusal");
    }

    /** A stream has ended, and what had arrived of it was delivered. */
    private void finish(StreamReceiver finished) {
        FairleadException cause = finished.cause();
        boolean accepted = finished.accepted;
        endedByPublisher = finished.isEndedByPublisher();
        receiver = null;
        if (finished.abandoned) {
            finished.leave();
            subscriber.drain(finished);
        } else {
            finished.retire();
        }
        Refusal how = finished.refusal;
        if (how != null) {
            refuse(cause, finished.endpoint, how);
            return;
        }
        if (finished.unacceptable) {
            end(cause);
            return;
        }
        state = SubscriptionState.WAITING;
        if (!finished.lost()) {
            // The connection is well, so it is this stream alone that has to wait.
            backingOff = true;
            joinAtNs = System.nanoTime()
                    + policy().shortenedPause(pauses++, ThreadLocalRandom.current())
                            .toNanos();
        }
        if (accepted) {
            tell(() -> events.disconnected(this, cause));
        }
        EndpointState ended = cause.reason() == Reason.CLOSED ? EndpointState.CLOSED : EndpointState.FAILED;
        if (!finished.lost() && state == SubscriptionState.WAITING && !policy().allows(ended, 0)) {
            end(cause);
        }
    }

    private ReconnectPolicy policy() {
        return subscriber.options().reconnect();
    }

    /** Calls the application, after a pause if there is one; what it throws ends nothing but the call. */
    private void tell(Runnable event) {
        subscriber.tell(() -> {
            if (state == SubscriptionState.CLOSED) {
                return;
            }
            try {
                event.run();
            } catch (Throwable thrown) {
                Callbacks.logThrown(LOG, thrown, "an event of a subscription threw; topic={}", topic);
            }
        });
    }

    private void end(FairleadException cause) {
        state = SubscriptionState.ENDED;
        subscriber.remove(this);
        joined.failed(cause);
        tell(() -> events.ended(this, cause));
    }

    void lose(FairleadException cause) {
        if (receiver != null) {
            receiver.lose(cause);
        }
    }

    /** The publisher has accepted. Calls the events. */
    void accepted(JoinReply answer) {
        subscriber.connection().recordJoin();
        refusals = 0;
        refusedNs = 0;
        refusal = null;
        refusedBy = null;
        long lastOfOld = lastSequence.value();
        // A publisher that has published less than was delivered or missed here cannot be believed both times.
        boolean beyond = epoch == answer.epoch() && passedSequence.value() >= answer.nextSequence();
        boolean restarted = beyond || (epoch != 0 && epoch != answer.epoch());
        if (beyond) {
            subscriber
                    .connection()
                    .warn("discarded a position beyond the publisher's last message: topic=" + topic + ", position="
                            + passedSequence.value() + ", lastSequence=" + (answer.nextSequence() - 1));
        }
        if (restarted || epoch == 0) {
            epoch = answer.epoch();
            baseSequence = answer.nextSequence();
            lastSequence.set(0);
            passedSequence.set(0);
        }
        baseSequence = Math.min(baseSequence, answer.nextSequence());
        joins.add(1);
        headSequence.set(answer.nextSequence() - 1);
        tell(() -> events.joined(this, answer.nextSequence()));
        if (restarted) {
            tell(() -> events.restarted(this, lastOfOld, answer.nextSequence()));
        }
        joined.joined(this);
    }

    /** The stream starts here: what was not delivered before it is missed, or was never wanted. */
    void startStream(long nextSequence) {
        if (state == SubscriptionState.JOINING) {
            state = SubscriptionState.LIVE;
        }
        missUntil(nextSequence, GapCause.DISCONNECTED);
    }

    /** From here on each message that is left out is missed. */
    void startRun(long sequence) {
        baseSequence = Math.min(baseSequence, sequence);
    }

    /** The last sequence number that was delivered or reported as missed. */
    long passed() {
        return passedSequence.value();
    }

    /** Nothing before this sequence number will come. Reports it as missed. */
    void missUntil(long sequence, GapCause cause) {
        long firstMissed = Math.max(passedSequence.value() + 1, baseSequence);
        passedSequence.set(Math.max(passedSequence.value(), sequence - 1));
        if (sequence <= firstMissed) {
            return;
        }
        gaps.add(1);
        missed.add(sequence - firstMissed);
        tell(() -> events.gap(this, firstMissed, sequence - 1, cause));
    }

    void deliver(long sequence, MemorySegment buffer, long offset, long length, MessageContext context) {
        passedSequence.set(sequence);
        lastSequence.set(sequence);
        received.add(1);
        bytesReceived.add(length);
        if (context.isEmpty()) {
            handler.message(topic, sequence, buffer, offset, length);
        } else {
            handler.message(topic, sequence, buffer, offset, length, context);
        }
    }

    DeliveryPause pause() {
        return subscriber.pause;
    }

    /** Whether a message may be delivered now. */
    boolean wantsMessage() {
        return !subscriber.pause.isPaused() && demand.wantsMessage();
    }

    boolean isEndedByPublisher() {
        return endedByPublisher;
    }

    /** Messages flow: earlier ends of the stream are forgiven. */
    void flowing() {
        pauses = 0;
    }

    void snapshotDelivered(int messages) {
        tell(() -> events.snapshotDelivered(this, messages));
    }

    /** The publisher's last sequence number. */
    void head(long sequence) {
        headSequence.set(sequence);
    }

    SubscriptionOptions options() {
        return options;
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public SubscriptionState state() {
        return state;
    }

    @Override
    public CompletableFuture<Subscription> joined() {
        return joined;
    }

    @Override
    public long received() {
        return received.value();
    }

    @Override
    public long bytesReceived() {
        return bytesReceived.value();
    }

    @Override
    public long gaps() {
        return gaps.value();
    }

    @Override
    public long missed() {
        return missed.value();
    }

    @Override
    public long rejoins() {
        return Math.max(0, joins.value() - 1);
    }

    @Override
    public long lag() {
        return Math.max(0, headSequence.value() - passedSequence.value());
    }

    @Override
    public long lastSequence() {
        return lastSequence.value();
    }

    @Override
    public String topicName() {
        return topic;
    }

    @Override
    public long count(PubSubCounter counter) {
        return switch (counter) {
            case DELIVERED -> received.value();
            case BYTES_DELIVERED -> bytesReceived.value();
            case GAPS -> gaps.value();
            case MISSED -> missed.value();
            case REJOINS -> rejoins();
            case SUBSCRIPTIONS -> 1;
            case LAG, LAG_MAX -> lag();
            default -> 0;
        };
    }

    @Override
    public void close() {
        if (state == SubscriptionState.CLOSED) {
            return;
        }
        state = SubscriptionState.CLOSED;
        subscriber.remove(this);
        StreamReceiver current = receiver;
        receiver = null;
        if (current != null) {
            current.leave();
            subscriber.drain(current);
        }
        joined.failed(NodeCalls.closed("subscription was closed before it joined", topic, "wait for joined() first"));
    }
}
