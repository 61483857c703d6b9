package io.fairlead.spring;

import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.spi.CloseSteps;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.context.SmartLifecycle;

/**
 * The peers that {@code fairlead.spring.peers} names. They are connected when the application starts, which does not wait for them, and again whenever they are
 * lost, whether they had been connected before or not. Thread-safe.
 */
public final class FairleadPeers implements SmartLifecycle {
    /** Before the listeners and the web server, which may want to talk to peers. */
    private static final int PHASE = 0;

    private static final Logger LOG = LoggerFactory.getLogger(FairleadPeers.class);
    private static final ReconnectPolicy AGAIN = ReconnectPolicy.always(Duration.ofMillis(20), Duration.ofSeconds(2));

    private final Node node;
    private final PathPolicy policy;
    private final Map<String, Connection> connections = new LinkedHashMap<>();
    private volatile @Nullable ScheduledExecutorService scheduler;

    FairleadPeers(Node node, PathPolicy policy, Map<String, String> addresses) {
        this.node = node;
        this.policy = policy;
        addresses.forEach((name, address) -> connections.put(name, new Connection(name, address)));
    }

    /**
     * The names.
     *
     * @return in the order of the property; immutable
     */
    public Set<String> names() {
        return Collections.unmodifiableSet(connections.keySet());
    }

    /**
     * A peer, to be used now. Ask for it again later: after some failures it is another object.
     *
     * @param name one of {@link #names()}
     * @return the peer, which may have been lost and be connecting again
     * @throws FairleadException {@code NOT_CONNECTED} if it has not been connected yet
     * @throws IllegalArgumentException if the property has no such name
     */
    public Peer peer(String name) {
        Connection connection = connection(name);
        Peer peer = connection.peer;
        if (peer == null) {
            throw new FairleadException(
                    FairleadException.Reason.NOT_CONNECTED,
                    "peer is not connected yet: name=" + name + ", address=" + connection.address
                            + "; try again when it is up");
        }
        return peer;
    }

    /**
     * The state of a peer.
     *
     * @param name one of {@link #names()}
     * @return {@link EndpointState#CONNECTING} until it is connected for the first time
     * @throws IllegalArgumentException if the property has no such name
     */
    public EndpointState state(String name) {
        return find(name).map(Peer::state).orElse(EndpointState.CONNECTING);
    }

    Optional<Peer> find(String name) {
        return Optional.ofNullable(connection(name).peer);
    }

    private Connection connection(String name) {
        Connection connection = connections.get(name);
        if (connection == null) {
            throw new IllegalArgumentException(
                    "no such peer: name=" + name + ", fairlead.spring.peers has " + connections.keySet());
        }
        return connection;
    }

    @Override
    public void start() {
        if (!connections.isEmpty()) {
            ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("fairlead-peers").factory());
            scheduler = started;
            try {
                connections.values().forEach(Connection::open);
            } catch (RuntimeException misnamed) {
                stop();
                throw misnamed;
            }
        }
    }

    @Override
    public void stop() {
        ScheduledExecutorService started = scheduler;
        if (started != null) {
            scheduler = null;
            CloseSteps.runAll(started::shutdownNow, () -> CloseSteps.runEach(connections.values(), Connection::close));
        }
    }

    @Override
    public boolean isRunning() {
        return scheduler != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** One peer and its attempts. */
    private final class Connection {
        private final String name;
        private final String address;
        private volatile @Nullable Peer peer;
        private int failed;

        Connection(String name, String address) {
            this.name = name;
            this.address = address;
        }

        /** Makes the first attempt; throws what no later one would be spared. */
        private void open() {
            CompletableFuture<Peer> attempt = node.connect(Addresses.service(address), policy, AGAIN);
            if (attempt.isCompletedExceptionally()
                    && attempt.exceptionNow() instanceof FairleadException refused
                    && refused.reason() == FairleadException.Reason.UNSUPPORTED) {
                throw refused;
            }
            await(attempt);
        }

        /** By name, whatever the application has written: the peer follows it, and it need not resolve yet. */
        private void connect() {
            try {
                await(node.connect(Addresses.service(address), policy, AGAIN));
            } catch (RuntimeException refused) {
                retry(refused);
            }
        }

        private void await(CompletableFuture<Peer> attempt) {
            CompletableFuture<Peer> _ = attempt.whenComplete((made, failure) -> {
                if (made == null) {
                    retry(Objects.requireNonNull(failure, "failure"));
                } else {
                    connected(made);
                }
            });
        }

        private synchronized void connected(Peer made) {
            failed = 0;
            peer = made;
            LOG.info("peer {} is connected: address={}, path={}", name, address, made.path());
            made.onClosed(end -> end.ifPresentOrElse(
                    this::retry,
                    () -> retry(new FairleadException(FairleadException.Reason.CLOSED, "the peer was closed"))));
            if (scheduler == null) {
                made.close();
            }
        }

        private synchronized void retry(Throwable failure) {
            ScheduledExecutorService current = scheduler;
            if (current == null || current.isShutdown()) {
                return;
            }
            // Each failure is one of a row until it is connected again, and only the first is worth a line.
            LOG.atLevel(failed == 0 ? Level.WARN : Level.DEBUG)
                    .log(
                            "peer {} is not connected and tried again: address={}: {}",
                            name,
                            address,
                            failure.getMessage());
            long pauseMs = AGAIN.pause(failed).toMillis();
            failed++;
            var _ = current.schedule(this::connect, pauseMs, TimeUnit.MILLISECONDS);
        }

        /** Called without the lock, because closing waits for the progress thread, which calls {@link #retry}. */
        private void close() {
            Peer current = peer;
            if (current != null) {
                current.close();
            }
        }
    }
}
