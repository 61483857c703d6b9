package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.spi.CloseSteps;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscriber: its subscriptions, and the connection that serves them. */
public final class LiveSubscriber implements Subscriber, WorkerTask, ActiveMessageHandler {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSubscriber.class);
    /** Between two attempts at what found no capacity, because free capacity need not be an event that ends a wait. */
    static final long RETRY_NS = 1_000_000L;

    private final Worker worker;
    private final SubscriberOptions options;
    private final ArrayList<LiveSubscription> subscriptions = new ArrayList<>();
    /** Streams of closed subscriptions whose end has not arrived yet. */
    private final ArrayList<StreamReceiver> draining = new ArrayList<>();

    private final PublisherConnection connection;
    final DeliveryPause pause = new DeliveryPause();
    /** Those of the present connection by their numbers, until they are retired. */
    private @Nullable StreamReceiver[] streams = new StreamReceiver[8];

    private int lastStream;
    /** The publisher has refused a subscription since the last check. */
    private boolean refused;
    /** The application has called something since the last turn. */
    private boolean hasWork;

    private boolean closed;

    private LiveSubscriber(Worker worker, PublisherAddresses addresses, SubscriberOptions options) {
        this.worker = Objects.requireNonNull(worker, "worker");
        this.options = Objects.requireNonNull(options, "options");
        this.connection = new PublisherConnection(worker, addresses, options, this::lose, this);
    }

    public static LiveSubscriber connect(Worker worker, InetSocketAddress address, SubscriberOptions options) {
        Objects.requireNonNull(address, "address");
        return connect(worker, PublisherAddresses.of(address), options);
    }

    /** The same with an address that is queried before each attempt to connect. */
    static LiveSubscriber connect(Worker worker, PublisherAddresses addresses, SubscriberOptions options) {
        LiveSubscriber subscriber = new LiveSubscriber(worker, addresses, options);
        subscriber.connection.open();
        worker.attach(subscriber);
        return subscriber;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public Subscription subscribe(
            String topic, SubscriptionOptions subscriptionOptions, MessageHandler handler, SubscriptionEvents events) {
        return subscribe(topic, subscriptionOptions, handler, events, Demand.UNLIMITED);
    }

    LiveSubscription subscribe(
            String topic,
            SubscriptionOptions subscriptionOptions,
            MessageHandler handler,
            SubscriptionEvents events,
            Demand demand) {
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
        LiveSubscription subscription = new LiveSubscription(this, topic, subscriptionOptions, handler, events, demand);
        subscriptions.add(subscription);
        hasWork = true;
        ContextTotals.of(worker.context()).opened(subscription);
        connection.retryGivenUp();
        return subscription;
    }

    @Override
    public int run() {
        hasWork = false;
        int work = pause.tellWaiting();
        if (pause.isPaused()) {
            return work;
        }
        work += connection.tryAdvance(!subscriptions.isEmpty()) ? 1 : 0;
        // By index, and from the end: a handler may add subscriptions and close them, and stop the delivery.
        for (int i = subscriptions.size() - 1; i >= 0 && !pause.isPaused(); i--) {
            if (i < subscriptions.size()) {
                work += progress(subscriptions.get(i));
            }
        }
        for (int i = draining.size() - 1; i >= 0 && !pause.isPaused(); i--) {
            if (i < draining.size()) {
                work += drain(i);
            }
        }
        if (refused) {
            refused = false;
            moveOn();
        }
        return work;
    }

    /** Leaves a member of a service that has refused every subscription. */
    private void moveOn() {
        Optional<Endpoint> current = connection.usable();
        if (current.isPresent()
                && connection.hasOthers()
                && !subscriptions.isEmpty()
                && subscriptions.stream().allMatch(each -> each.isRefusedBy(current.get()))) {
            connection.moveOn(subscriptions.getFirst().refusal());
        }
    }

    /** The publisher of the present connection has refused a subscription, which tries again. */
    void refused() {
        refused = true;
    }

    /** What a handler throws keeps no other subscription waiting. */
    private int progress(LiveSubscription subscription) {
        try {
            return subscription.progress();
        } catch (Throwable fromHandler) {
            logThrown(fromHandler, subscription.topic());
            return 1;
        }
    }

    private static void logThrown(Throwable fromHandler, String topic) {
        Callbacks.logThrown(LOG, fromHandler, "a message handler threw; topic={}", topic);
    }

    @Override
    public long maxWaitNs() {
        if (isPaused()) {
            return Long.MAX_VALUE;
        }
        if (hasWork) {
            return 0;
        }
        long limitNs = Math.min(
                connection.maxWaitNs(!subscriptions.isEmpty()), draining.isEmpty() ? Long.MAX_VALUE : RETRY_NS);
        for (int i = 0; i < subscriptions.size(); i++) {
            limitNs = Math.min(limitNs, subscriptions.get(i).maxWaitNs());
        }
        return limitNs;
    }

    private int drain(int index) {
        StreamReceiver receiver = draining.get(index);
        int work = receiver.progress();
        if (receiver.finished()) {
            draining.remove(index);
            receiver.retire();
        }
        return work;
    }

    /** A message of the publisher has arrived. What a handler throws ends no stream. */
    @Override
    public void received(ActiveMessage message) {
        if (closed) {
            return;
        }
        MemorySegment header = message.buffer();
        int length = message.headerLength();
        if (length < Wire.HEAD_BYTES) {
            connection.failViolation(
                    message.source(),
                    "header is too short: length=" + length + ", at least " + Wire.HEAD_BYTES + " bytes");
            return;
        }
        int stream = header.get(Wire.INT, 4);
        StreamReceiver receiver = stream > 0 && stream < streams.length ? streams[stream] : null;
        if (receiver == null) {
            connection.failViolation(message.source(), "stream is unknown: stream=" + stream);
            return;
        }
        try {
            receiver.received(header, length, message);
        } catch (Throwable fromHandler) {
            logThrown(fromHandler, receiver.topic());
        }
    }

    /** The connection is lost, and with it every stream. */
    private void lose(FairleadException cause) {
        Arrays.fill(streams, null);
        for (LiveSubscription subscription : subscriptions) {
            subscription.lose(cause);
        }
        for (StreamReceiver receiver : draining) {
            receiver.lose(cause);
        }
    }

    PublisherConnection connection() {
        return connection;
    }

    /** A receiver with a number that no live stream of this connection has. */
    StreamReceiver newReceiver(LiveSubscription subscription, Endpoint endpoint) {
        do {
            lastStream = lastStream % Wire.STREAM_MAX + 1;
        } while (lastStream < streams.length && streams[lastStream] != null);
        if (lastStream >= streams.length) {
            streams = Arrays.copyOf(streams, Math.min(Wire.STREAM_MAX + 1, lastStream * 2));
        }
        StreamReceiver receiver = new StreamReceiver(subscription, this, endpoint, lastStream);
        streams[lastStream] = receiver;
        return receiver;
    }

    /** A stream is over, and its number is free. */
    void forget(StreamReceiver receiver) {
        if (receiver.equals(streams[receiver.stream])) {
            streams[receiver.stream] = null;
        }
    }

    void remove(LiveSubscription subscription) {
        subscriptions.remove(subscription);
        ContextTotals.of(worker.context()).closed(subscription);
    }

    /** Runs an event, now or after the pause. */
    void tell(Runnable event) {
        pause.tell(event);
    }

    void drain(StreamReceiver receiver) {
        draining.add(receiver);
        hasWork = true;
    }

    SubscriberOptions options() {
        return options;
    }

    Worker worker() {
        return worker;
    }

    @Override
    public void pause() {
        pause.pause();
    }

    @Override
    public void resume() {
        pause.resume();
        hasWork = true;
    }

    @Override
    public boolean isPaused() {
        return pause.isPaused();
    }

    @Override
    public boolean connected() {
        return connection.usable().isPresent();
    }

    @Override
    public Optional<Path> path() {
        return connection.usable().flatMap(Endpoint::path);
    }

    @Override
    public long reconnects() {
        return connection.reconnects();
    }

    @Override
    public List<Subscription> subscriptions() {
        return List.copyOf(subscriptions);
    }

    @Override
    public void close() {
        CloseSteps.runAll(this::startClose, connection::close);
    }

    @Override
    public void startClose() {
        if (closed) {
            return;
        }
        closed = true;
        CloseSteps.runAll(
                () -> worker.detach(this),
                () -> CloseSteps.runEach(List.copyOf(subscriptions), LiveSubscription::close),
                connection::startClose,
                () -> CloseSteps.runEach(draining, StreamReceiver::retire),
                draining::clear);
    }

    @Override
    public void workerClosed() {
        startClose();
    }
}
