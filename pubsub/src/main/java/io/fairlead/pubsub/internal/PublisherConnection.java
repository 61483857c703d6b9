package io.fairlead.pubsub.internal;

import io.fairlead.ActiveMessage;
import io.fairlead.ActiveMessageHandler;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Worker;
import io.fairlead.internal.log.LogScope;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerWorker;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A subscriber's connection to its publisher, which is made again when it is lost. On the worker's thread, but for {@link #reconnects()}. */
final class PublisherConnection implements LayerHandler {
    private static final Logger LOG = LoggerFactory.getLogger(LiveSubscriber.class);

    /** Between two checks of a service whose members are not resolved yet. */
    private static final long UNKNOWN_NS = 10_000_000L;

    private final Worker worker;
    /** Queried before each attempt, because a publisher that is known by name may have moved. */
    private final PublisherAddresses addresses;
    /** Of the last attempt. */
    private @Nullable InetSocketAddress address;

    private final SubscriberOptions options;
    /** Called at each loss. */
    private final Consumer<FairleadException> streams;
    /** Called with each message of the present connection. */
    private final ActiveMessageHandler messages;

    private final SingleWriterCounter connections = new SingleWriterCounter();
    /** The connection that is made or up; null between attempts. */
    private @Nullable Endpoint endpoint;

    /** The first attempt is due, even without subscriptions. */
    private boolean opening = true;

    private boolean up;
    /** A subscription has joined on this connection. */
    private boolean joined;
    /** Connections in a row that were not made, or on which no subscription joined. */
    private int failedAttempts;
    /** Pauses before attempts since a subscription has joined. */
    private int pauses;
    /** Why the connection has ended, until progress deals with it. */
    private @Nullable FairleadException lost;
    /** It has ended by the publisher's close. */
    private boolean closedByPublisher;
    /** Why there will be no other attempt. */
    private @Nullable FairleadException givenUp;

    private long attemptAtNs;

    /** Creates it without a connection. */
    PublisherConnection(
            Worker worker,
            PublisherAddresses addresses,
            SubscriberOptions options,
            Consumer<FairleadException> streams,
            ActiveMessageHandler messages) {
        this.worker = worker;
        this.addresses = addresses;
        this.options = options;
        this.streams = streams;
        this.messages = messages;
    }

    /**
     * Makes the first attempt.
     *
     * @throws FairleadException if it cannot even begin; not for a service, whose next member may be better
     */
    void open() {
        if (addresses.isService()) {
            reconnect();
        } else {
            connect();
        }
    }

    private void connect() {
        InetSocketAddress next = addresses.next();
        if (next == null) {
            attemptAtNs = System.nanoTime() + UNKNOWN_NS;
            return;
        }
        opening = false;
        address = next;
        endpoint = options.pathPolicy().isPresent()
                ? worker.connect(next, options.pathPolicy().get(), this)
                : worker.connect(next, this);
    }

    /** Deals with a loss, or makes the attempt that is due; false if there is nothing to do. */
    boolean tryAdvance(boolean isWanted) {
        FairleadException cause = lost;
        if (cause != null) {
            settle(cause);
            return true;
        }
        if (isAttemptPlanned(isWanted) && System.nanoTime() - attemptAtNs >= 0) {
            reconnect();
            return true;
        }
        return false;
    }

    /** How long a wait may be as far as this connection is concerned. */
    long maxWaitNs(boolean isWanted) {
        if (lost != null) {
            return 0;
        }
        return isAttemptPlanned(isWanted) ? attemptAtNs - System.nanoTime() : Long.MAX_VALUE;
    }

    private boolean isAttemptPlanned(boolean isWanted) {
        return endpoint == null && givenUp == null && (isWanted || opening);
    }

    private void reconnect() {
        try {
            connect();
        } catch (FairleadException noEndpoint) {
            // An attempt that cannot even begin has failed like any other, and is followed by the next.
            opening = false;
            settle(noEndpoint);
        }
    }

    /** The connection has ended: plans the next attempt, or none. */
    private void settle(FairleadException cause) {
        boolean wasUp = up;
        boolean hopeless = !up && cause.advice() == Advice.GIVE_UP && cause.reason() != Reason.CLOSED;
        // The answer of one member says little about a service. The next member may accept, and so may this one when it
        // was replaced.
        boolean isLast = hopeless && !addresses.isService();
        failedAttempts = joined ? 0 : failedAttempts + 1;
        joined = false;
        lost = null;
        up = false;
        EndpointState ended = closedByPublisher ? EndpointState.CLOSED : EndpointState.FAILED;
        closedByPublisher = false;
        Endpoint last = endpoint;
        endpoint = null;
        streams.accept(cause);
        if (isLast || !options.reconnect().allows(ended, failedAttempts)) {
            givenUp = cause;
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
            if (hopeless && failedAttempts == 1) {
                LOG.warn("a member of a service is left out: address={}, cause: {}", address, cause.getMessage());
            } else if (wasUp) {
                LOG.info("reconnecting to {} in {} ms: {}", address, delayNs / 1_000_000, cause.getMessage());
            } else {
                // Each attempt is an endpoint, which leaves a line of its own.
                LOG.debug("connecting again to {} in {} ms", address, delayNs / 1_000_000);
            }
        }
    }

    /** Whether it may be connected to another publisher of the same service. */
    boolean hasOthers() {
        return addresses.hasOthers();
    }

    /** Whether what one publisher refuses another may accept. */
    boolean isOfService() {
        return addresses.isService();
    }

    /** Leaves a publisher that is of no use, for the next. */
    void moveOn(FairleadException cause) {
        Endpoint current = endpoint;
        if (current != null && lost == null) {
            lost = cause;
            current.startClose();
        }
    }

    /** A new subscription gives a publisher that was given up another chance. */
    void retryGivenUp() {
        if (givenUp != null) {
            givenUp = null;
            failedAttempts = 0;
            pauses = 0;
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

    // What the worker reports.

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
        ((LayerWorker) worker).registerLayer(Wire.HANDLER, connectedEndpoint, new Arrivals(connectedEndpoint));
        if (reconnects() > 0) {
            try (LogScope _ = LogScope.of(connectedEndpoint)) {
                LOG.info("connected again to {}", address);
            }
        }
    }

    @Override
    public void closed(Endpoint closedEndpoint) {
        if (closedEndpoint.equals(endpoint) && lost == null) {
            closedByPublisher = true;
            lost = new FairleadException(Reason.CLOSED, "publisher closed the connection: address=" + address);
        }
    }

    @Override
    public void failed(Endpoint failedEndpoint, FairleadException cause) {
        if (failedEndpoint.equals(endpoint) && lost == null) {
            lost = cause;
        }
    }

    /** The messages of one connection. */
    private final class Arrivals implements ActiveMessageHandler {
        private final Endpoint from;

        Arrivals(Endpoint from) {
            this.from = from;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // The connection itself.
        public void received(ActiveMessage message) {
            // An earlier connection may still be closing.
            if (lost == null && from == endpoint) {
                messages.received(message);
            }
        }
    }

    // What subscriptions call.

    /** A subscription has joined: the publisher is there and well. */
    void recordJoin() {
        joined = true;
        pauses = 0;
    }

    /** The connection, if streams may be started on it. */
    Optional<Endpoint> usable() {
        return up && lost == null ? Optional.ofNullable(endpoint) : Optional.empty();
    }

    /** Why there will be no other attempt; empty while there may be. */
    Optional<FairleadException> givenUp() {
        return Optional.ofNullable(givenUp);
    }

    /** The publisher broke the protocol: ends the connection, and with it every stream on it. */
    void failViolation(Endpoint offender, String what) {
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

    long reconnects() {
        return Math.max(0, connections.value() - 1);
    }

    void close() {
        if (endpoint != null) {
            endpoint.close();
        }
    }

    void startClose() {
        if (endpoint != null) {
            endpoint.startClose();
        }
    }
}
