package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.log.LogScope;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.spi.LayerHandler;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscriber: its connection, which it makes again when it is lost, and its subscriptions. */
public final class LiveSubscriber implements Subscriber, LayerHandler, WorkerTask {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSubscriber.class);
    /** Between two attempts at what found no room: nothing promises that room is an event which ends a wait. */
    static final long RETRY_NS = 1_000_000L;

    private final Worker worker;
    private final InetSocketAddress address;
    private final SubscriberOptions options;
    private final ArrayList<LiveSubscription> subscriptions = new ArrayList<>();
    /** Streams of closed subscriptions whose end the publisher has not told yet. */
    private final ArrayList<StreamReceiver> draining = new ArrayList<>();

    private final SingleWriterCounter connections = new SingleWriterCounter();
    /** The connection that is made or up; null between attempts. */
    private @Nullable Endpoint endpoint;

    private boolean up;
    /** A subscription has joined on this connection. */
    private boolean served;
    /** Connections in a row that were not made, or on which no subscription joined. */
    private int failedAttempts;
    /** Pauses before attempts since a subscription has joined. */
    private int pauses;
    /** Why the connection has ended, until progress deals with it. */
    private @Nullable FairleadException lost;
    /** It has ended by the publisher's close. */
    private boolean saidGoodbye;
    /** Why there will be no other attempt. */
    private @Nullable FairleadException over;

    private long attemptAtNs;
    private int lastStream;
    private boolean paused;
    /** The application has asked for something since the last turn. */
    private boolean stirred;

    private boolean closed;

    private LiveSubscriber(Worker worker, InetSocketAddress address, SubscriberOptions options) {
        this.worker = Objects.requireNonNull(worker, "worker");
        this.address = Objects.requireNonNull(address, "address");
        this.options = Objects.requireNonNull(options, "options");
    }

    public static LiveSubscriber connect(Worker worker, InetSocketAddress address, SubscriberOptions options) {
        LiveSubscriber subscriber = new LiveSubscriber(worker, address, options);
        subscriber.connect();
        worker.attach(subscriber);
        return subscriber;
    }

    private void connect() {
        endpoint = options.pathPolicy().isPresent()
                ? worker.connect(address, options.pathPolicy().get(), this)
                : worker.connect(address, this);
    }

    @Override
    public Subscription subscribe(
            String topic, SubscriptionOptions subscriptionOptions, MessageHandler handler, SubscriptionEvents events) {
        Limits.topicName(topic);
        if (closed) {
            throw new IllegalStateException("subscriber is closed: topic=" + topic);
        }
        if (subscriptions.size() + draining.size() >= Wire.STREAM_MAX) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "subscriber has as many subscriptions as a connection carries: topic=" + topic + ", limit="
                            + Wire.STREAM_MAX + "; use another subscriber");
        }
        LiveSubscription subscription = new LiveSubscription(this, topic, subscriptionOptions, handler, events);
        subscriptions.add(subscription);
        stirred = true;
        ContextTotals.of(worker.context()).opened(subscription);
        if (over != null) {
            over = null;
            failedAttempts = 0;
            pauses = 0;
        }
        return subscription;
    }

    @Override
    public int run() {
        stirred = false;
        if (paused) {
            return 0;
        }
        int work = connectWhenDue();
        // By index, and from the end: a handler may add subscriptions and close them.
        for (int i = subscriptions.size() - 1; i >= 0; i--) {
            if (i < subscriptions.size()) {
                work += progress(subscriptions.get(i));
            }
        }
        for (int i = draining.size() - 1; i >= 0; i--) {
            if (i < draining.size()) {
                work += drain(i);
            }
        }
        return work;
    }

    /** What a handler throws keeps no other subscription waiting. */
    private int progress(LiveSubscription subscription) {
        try {
            return subscription.progress(options.deliverMax());
        } catch (Throwable fromHandler) {
            Callbacks.threw(LOG, fromHandler, "a message handler threw; topic={}", subscription.topic());
            return 1;
        }
    }

    @Override
    public long maxWaitNs() {
        if (paused) {
            return Long.MAX_VALUE;
        }
        if (stirred || lost != null) {
            return 0;
        }
        if (endpoint == null) {
            return over == null && !subscriptions.isEmpty() ? attemptAtNs - System.nanoTime() : Long.MAX_VALUE;
        }
        long limitNs = draining.isEmpty() ? Long.MAX_VALUE : RETRY_NS;
        for (int i = 0; i < subscriptions.size(); i++) {
            limitNs = Math.min(limitNs, subscriptions.get(i).maxWaitNs());
        }
        return limitNs;
    }

    private int drain(int index) {
        StreamReceiver receiver = draining.get(index);
        int work = receiver.progress(options.deliverMax());
        if (receiver.finished()) {
            draining.remove(index);
            receiver.retire();
        }
        return work;
    }

    private int connectWhenDue() {
        FairleadException cause = lost;
        if (cause != null) {
            settle(cause);
            return 1;
        }
        if (endpoint == null && over == null && !subscriptions.isEmpty() && System.nanoTime() - attemptAtNs >= 0) {
            reconnect();
            return 1;
        }
        return 0;
    }

    private void reconnect() {
        try {
            connect();
        } catch (FairleadException noEndpoint) {
            // An attempt that cannot even begin has failed like any other, and is followed by the next.
            settle(noEndpoint);
        }
    }

    /** The connection has ended: plans the next attempt, or none. */
    private void settle(FairleadException cause) {
        boolean wasUp = up;
        boolean hopeless = !up && cause.advice() == Advice.GIVE_UP && cause.reason() != Reason.CLOSED;
        failedAttempts = served ? 0 : failedAttempts + 1;
        served = false;
        lost = null;
        up = false;
        EndpointState ended = saidGoodbye ? EndpointState.CLOSED : EndpointState.FAILED;
        saidGoodbye = false;
        Endpoint last = endpoint;
        endpoint = null;
        for (LiveSubscription subscription : subscriptions) {
            subscription.lose(cause);
        }
        for (StreamReceiver receiver : draining) {
            receiver.lose(cause);
        }
        if (hopeless || !options.reconnect().allows(ended, failedAttempts)) {
            over = cause;
            try (LogScope _ = scope(last)) {
                LOG.warn(
                        "gave up a publisher: address={}, attempts={}, cause: {}",
                        address,
                        failedAttempts,
                        cause.getMessage());
            }
            return;
        }
        long delayNs = options.reconnect()
                .shortenedPause(pauses++, ThreadLocalRandom.current())
                .toNanos();
        attemptAtNs = System.nanoTime() + delayNs;
        try (LogScope _ = scope(last)) {
            if (wasUp) {
                LOG.info("reconnecting to {} in {} ms: {}", address, delayNs / 1_000_000, cause.getMessage());
            } else {
                // Each attempt is an endpoint, which leaves a line of its own.
                LOG.debug("connecting again to {} in {} ms", address, delayNs / 1_000_000);
            }
        }
    }

    void warn(String message) {
        try (LogScope _ = scope(endpoint)) {
            LOG.warn("{}", message);
        }
    }

    private LogScope scope(@Nullable Endpoint about) {
        return about == null ? LogScope.of(worker.context()) : LogScope.of(about);
    }

    @Override
    public boolean isReconnect(Endpoint connectedEndpoint) {
        return connections.value() > 0;
    }

    @Override
    public boolean isExclusive() {
        return true;
    }

    @Override
    public void connected(Endpoint connectedEndpoint) {
        up = true;
        connections.add(1);
        if (reconnects() > 0) {
            try (LogScope _ = LogScope.of(connectedEndpoint)) {
                LOG.info("connected again to {}", address);
            }
        }
    }

    @Override
    public void closed(Endpoint closedEndpoint) {
        if (closedEndpoint.equals(endpoint) && lost == null) {
            saidGoodbye = true;
            lost = new FairleadException(Reason.CLOSED, "publisher closed the connection: address=" + address);
        }
    }

    @Override
    public void failed(Endpoint failedEndpoint, FairleadException cause) {
        if (failedEndpoint.equals(endpoint) && lost == null) {
            lost = cause;
        }
    }

    /** A subscription has joined: the publisher is there and well. */
    void joined() {
        served = true;
        pauses = 0;
    }

    /** The connection, if streams may be started on it. */
    Optional<Endpoint> usable() {
        return up && lost == null ? Optional.ofNullable(endpoint) : Optional.empty();
    }

    Optional<FairleadException> over() {
        return Optional.ofNullable(over);
    }

    /** The publisher broke the protocol: ends the connection, and with it every stream on it. */
    void violate(Endpoint offender, String what) {
        if (!offender.equals(endpoint) || lost != null) {
            return;
        }
        FairleadException cause = new FairleadException(
                Reason.PROTOCOL_VIOLATION,
                "publisher sent a malformed message: address=" + address + ", " + what + "; the connection is closed");
        try (LogScope _ = LogScope.of(offender)) {
            LOG.warn("{}", cause.getMessage());
        }
        lost = cause;
        offender.abort();
    }

    /** A stream number that no live stream of this connection has. */
    int newStream() {
        do {
            lastStream = lastStream % Wire.STREAM_MAX + 1;
        } while (inUse(lastStream));
        return lastStream;
    }

    private boolean inUse(int stream) {
        return subscriptions.stream().anyMatch(s -> s.uses(stream))
                || draining.stream().anyMatch(receiver -> receiver.stream() == stream);
    }

    void remove(LiveSubscription subscription) {
        subscriptions.remove(subscription);
        ContextTotals.of(worker.context()).closed(subscription);
    }

    void drain(StreamReceiver receiver) {
        draining.add(receiver);
        stirred = true;
    }

    SubscriberOptions options() {
        return options;
    }

    Worker worker() {
        return worker;
    }

    @Override
    public void pause() {
        paused = true;
    }

    @Override
    public void resume() {
        paused = false;
        stirred = true;
    }

    @Override
    public boolean isPaused() {
        return paused;
    }

    @Override
    public boolean connected() {
        return up && lost == null;
    }

    @Override
    public Optional<Path> path() {
        return usable().flatMap(Endpoint::path);
    }

    @Override
    public long reconnects() {
        return Math.max(0, connections.value() - 1);
    }

    @Override
    public List<Subscription> subscriptions() {
        return List.copyOf(subscriptions);
    }

    @Override
    public void close() {
        startClose();
        if (endpoint != null) {
            endpoint.close();
        }
    }

    @Override
    public void startClose() {
        if (closed) {
            return;
        }
        closed = true;
        worker.detach(this);
        for (LiveSubscription subscription : List.copyOf(subscriptions)) {
            subscription.close();
        }
        if (endpoint != null) {
            endpoint.startClose();
        }
        for (StreamReceiver receiver : draining) {
            receiver.retire();
        }
        draining.clear();
    }

    @Override
    public void workerClosed() {
        startClose();
    }
}
