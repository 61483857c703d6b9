package io.fairlead.pubsub.internal;

import io.fairlead.Authorizer.Verdict;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.config.ConfigKeys;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.internal.log.LogScope;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.SubscriberStats;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerWorker;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A publisher: its topics, its subscribers' connections, and the queues of those with something to send. */
public final class LivePublisher implements Publisher, LayerHandler, WorkerTask, PublisherShutdown.Steps {
    private static final Logger LOG = LoggerFactory.getLogger(LivePublisher.class);
    /** Names of topics that a refusal lists. */
    private static final int NAMES_MAX = 8;
    /** Between two attempts at what found no capacity, because free capacity need not be an event that ends a wait. */
    private static final long RETRY_NS = 1_000_000L;

    private final Worker worker;
    private final PublisherOptions options;
    private final long epoch = UUID.randomUUID().getMostSignificantBits() | 1;
    private final Map<String, LiveTopic> topics = new LinkedHashMap<>();
    private final Map<Endpoint, SubscriberConnection> peers = new LinkedHashMap<>();
    private final ArrayDeque<LiveTopic> dirtyTopics = new ArrayDeque<>();
    private final ArrayDeque<StreamSender> dirtySenders = new ArrayDeque<>();
    private final ArrayDeque<SubscriberConnection> waitingConnections = new ArrayDeque<>();
    private final ArrayDeque<Runnable> events = new ArrayDeque<>();
    private @Nullable Listener listener;
    private final PublisherShutdown shutdown = new PublisherShutdown(this);
    private PublisherFront front = PublisherFront.NONE;

    private LivePublisher(Worker worker, PublisherOptions options) {
        this.worker = Objects.requireNonNull(worker, "worker");
        this.options = Objects.requireNonNull(options, "options");
    }

    public static LivePublisher attach(Worker worker, PublisherOptions options) {
        LivePublisher publisher = new LivePublisher(worker, options);
        worker.attach(publisher);
        return publisher;
    }

    boolean isClosing() {
        return shutdown.isBegun();
    }

    /** Serves the messages that a front hands over. */
    void serve(PublisherFront other) {
        front = other;
    }

    public static LivePublisher listen(Worker worker, InetSocketAddress address, PublisherOptions options) {
        LivePublisher publisher = new LivePublisher(worker, options);
        publisher.listener = worker.listen(address, publisher);
        worker.attach(publisher);
        return publisher;
    }

    @Override
    public LiveTopic topic(String name, TopicOptions topicOptions) {
        Limits.topicName(name);
        Objects.requireNonNull(topicOptions, "options");
        if (shutdown.isBegun()) {
            throw new IllegalStateException("publisher is closed: topic=" + name);
        }
        if (topics.containsKey(name)) {
            throw new IllegalArgumentException("topic exists already: topic=" + name + "; use it, or close it first");
        }
        if (topics.size() >= options.topicsMax()) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "publisher has as many topics as it permits: topic=" + name + ", topicsMax=" + options.topicsMax()
                            + "; raise PublisherOptions.topicsMax");
        }
        SnapshotTable snapshot = topicOptions
                .snapshot()
                .map(s -> SnapshotTable.in(worker.context(), name, s, epoch))
                .orElse(null);
        LiveTopic topic = new LiveTopic(this, name, topicOptions, snapshot);
        topics.put(name, topic);
        ContextTotals.of(worker.context()).opened(topic);
        return topic;
    }

    void remove(LiveTopic topic) {
        topics.remove(topic.name());
        ContextTotals.of(worker.context()).closed(topic);
    }

    @Override
    public int run() {
        int work = advance();
        if (shutdown.isBegun()) {
            work += shutdown.advance();
        }
        return work;
    }

    @Override
    public long maxWaitNs() {
        if (!dirtyTopics.isEmpty() || !events.isEmpty()) {
            return 0;
        }
        boolean retries = !dirtySenders.isEmpty() || !waitingConnections.isEmpty() || shutdown.isBegun();
        return retries ? RETRY_NS : Long.MAX_VALUE;
    }

    private int advance() {
        int work = 0;
        for (int due = waitingConnections.size(); due > 0; due--) {
            waitingConnections.remove().retry();
        }
        for (int due = dirtyTopics.size(); due > 0; due--) {
            work += dirtyTopics.remove().dispatch();
        }
        // What the transport has no capacity for goes back to the queue, for the next call.
        for (int due = dirtySenders.size(); due > 0; due--) {
            StreamSender sender = dirtySenders.remove();
            sender.clearDirty();
            work += sender.dispatch();
        }
        return work + tellEvents();
    }

    /** Runs all events, even if one of them throws. */
    private int tellEvents() {
        int told = 0;
        for (; !events.isEmpty(); told++) {
            try {
                events.remove().run();
            } catch (Throwable fromEvent) {
                Callbacks.logThrown(LOG, fromEvent, "an event of a publisher threw");
            }
        }
        return told;
    }

    void enqueue(LiveTopic topic) {
        dirtyTopics.add(topic);
    }

    void enqueue(StreamSender sender) {
        dirtySenders.add(sender);
    }

    void retry(SubscriberConnection peer) {
        waitingConnections.add(peer);
    }

    /** Queues the event that a subscriber has left. */
    void tell(SubscriberStats stats, FairleadException cause) {
        if (!options.events().equals(PublisherEvents.NONE)) {
            events.add(() -> options.events().left(stats, cause));
        }
    }

    /** Answers a subscriber's request. A topic that it does not have may still be made, by an application that has just started. */
    StreamSender join(SubscriberConnection peer, JoinRequest join) {
        LiveTopic topic = topics.get(join.topic());
        Optional<FairleadException> refusal = refusal(peer, join, topic);
        if (refusal.isPresent()) {
            try (LogScope _ = LogScope.of(peer.endpoint())) {
                LOG.info(
                        "refused a subscriber: peer={}, {}",
                        peer.endpoint().remoteAddress(),
                        refusal.get().getMessage());
            }
            return StreamSender.refused(this, peer, join, 0, refusal.get());
        }
        if (topic == null) {
            FairleadException unknown = unknown(join.topic());
            try (LogScope _ = LogScope.of(peer.endpoint())) {
                // The subscriber repeats its request, and logs that itself.
                LOG.debug(
                        "refused a subscriber for now: peer={}, {}",
                        peer.endpoint().remoteAddress(),
                        unknown.getMessage());
            }
            return StreamSender.refused(this, peer, join, Wire.REFUSED_FOR_NOW, unknown);
        }
        StreamSender sender = topic.join(peer, join);
        if (sender.open() && !options.events().equals(PublisherEvents.NONE)) {
            SubscriberStats stats = sender.stats();
            events.add(() -> options.events().joined(stats));
        }
        return sender;
    }

    private Optional<FairleadException> refusal(
            SubscriberConnection peer, JoinRequest join, @Nullable LiveTopic topic) {
        if (join.version() != Wire.VERSION) {
            return refused("pub-sub protocol versions differ: subscriber=" + join.version() + ", publisher="
                    + Wire.VERSION + "; use the same release of Fairlead");
        }
        Verdict verdict =
                worker.context().authorizer().subscribe(peer.endpoint().peerIdentity(), join.topic());
        if (!verdict.isAllowed()) {
            return refused("not allowed to subscribe: topic=" + join.topic() + ", identity="
                    + peer.endpoint().peerIdentity() + "; " + verdict.reason());
        }
        if (peer.streamCount() >= options.subscriptionsMax()) {
            return refused("connection has as many subscriptions as the publisher permits: subscriptionsMax="
                    + options.subscriptionsMax() + "; raise PublisherOptions.subscriptionsMax");
        }
        return topic == null ? Optional.empty() : topic.refusal(join);
    }

    private FairleadException unknown(String topic) {
        String names = topics.keySet().stream().limit(NAMES_MAX).collect(Collectors.joining(", "));
        return new FairleadException(
                Reason.REFUSED,
                "unknown topic: topic=" + topic + "; this publisher has " + (names.isEmpty() ? "none" : names)
                        + (topics.size() > NAMES_MAX ? " and " + (topics.size() - NAMES_MAX) + " more" : ""));
    }

    private static Optional<FairleadException> refused(String message) {
        return Optional.of(new FairleadException(Reason.REFUSED, message));
    }

    /** A line about no subscriber in particular. */
    void warn(String message) {
        try (LogScope _ = LogScope.of(worker.context())) {
            LOG.warn("{}", message);
        }
    }

    PublisherOptions options() {
        return options;
    }

    @Override
    public boolean isExclusive() {
        return true;
    }

    @Override
    public void connected(Endpoint endpoint) {
        if (shutdown.isBegun() || peers.size() >= options.connectionsMax()) {
            try (LogScope _ = LogScope.of(endpoint)) {
                LOG.warn(
                        "closed a subscriber's connection: peer={}, connections={}, connectionsMax={}",
                        endpoint.remoteAddress(),
                        peers.size(),
                        options.connectionsMax());
            }
            endpoint.close();
            return;
        }
        SubscriberConnection peer = new SubscriberConnection(this, endpoint);
        peers.put(endpoint, peer);
        // Here, because the application may have a handler of its own in front of this one.
        ((LayerWorker) worker).registerLayer(Wire.HANDLER, endpoint, peer::received);
    }

    @Override
    public void closed(Endpoint endpoint) {
        lose(
                endpoint,
                new FairleadException(
                        Reason.CLOSED, "subscriber closed its connection: peer=" + endpoint.remoteAddress()));
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        lose(endpoint, cause);
    }

    private void lose(Endpoint endpoint, FairleadException cause) {
        SubscriberConnection peer = peers.remove(endpoint);
        if (peer != null) {
            waitingConnections.remove(peer);
            peer.lose(cause);
        }
    }

    @Override
    public boolean drained() {
        return topics.values().stream().allMatch(LiveTopic::drained);
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public InetSocketAddress address() {
        if (listener == null) {
            throw new IllegalStateException("publisher has no listener of its own: it was attached; ask the listener");
        }
        return listener.address();
    }

    @Override
    public EndpointHandler endpointHandler() {
        return this;
    }

    @Override
    public List<SubscriberStats> subscribers() {
        return topics.values().stream()
                .flatMap(topic -> topic.subscribers().stream())
                .toList();
    }

    @Override
    public void startClose() {
        if (shutdown.isBegun()) {
            return;
        }
        CloseSteps.runAll(
                () -> {
                    if (listener != null) {
                        listener.close();
                    }
                },
                () -> shutdown.begin(options.drainTimeout().toNanos()));
    }

    @Override
    public void close() {
        startClose();
        if (worker.isInsideProgress()) {
            return;
        }
        while (!shutdown.isClosed()) {
            if (worker.progress() == 0) {
                worker.await(RETRY_NS);
            }
        }
    }

    @Override
    public boolean isDrained() {
        return (drained() && !front.hasPending()) || !connected();
    }

    @Override
    public boolean isSilent() {
        return peers.values().stream().allMatch(peer -> peer.streamCount() == 0) || !connected();
    }

    @Override
    public void endStreams() {
        FairleadException cause = new FairleadException(Reason.CLOSED, "publisher was closed: epoch=" + epoch);
        // Topics first, which count what their subscribers were not sent.
        CloseSteps.runAll(
                () -> CloseSteps.runEach(List.copyOf(topics.values()), topic -> topic.close(cause)),
                () -> CloseSteps.runEach(List.copyOf(peers.values()), peer -> peer.end(cause)));
    }

    @Override
    public long closeEndpoints() {
        CloseSteps.runEach(List.copyOf(peers.keySet()), Endpoint::startClose);
        return worker.context().config().value(ConfigKeys.CLOSE_TIMEOUT).toNanos() * 2;
    }

    @Override
    public boolean hasEndpoints() {
        return !peers.isEmpty();
    }

    @Override
    public void abortEndpoints() {
        CloseSteps.runEach(List.copyOf(peers.keySet()), Endpoint::abort);
    }

    @Override
    public void finish() {
        CloseSteps.runAll(
                () -> worker.detach(this),
                dirtyTopics::clear,
                dirtySenders::clear,
                this::tellEvents,
                () -> front.closed(worker));
    }

    /** Subscribers are not sent the end of their topics: for them the publisher is lost. */
    @Override
    public void workerCloses() {
        CloseSteps.runEach(topics.values(), LiveTopic::giveUpUnsent);
    }

    @Override
    public void workerClosed() {
        CloseSteps.runAll(this::endStreams, shutdown::finish);
    }

    private boolean connected() {
        return peers.keySet().stream().anyMatch(endpoint -> endpoint.state() == EndpointState.CONNECTED);
    }
}
