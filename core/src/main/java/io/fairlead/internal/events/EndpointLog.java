package io.fairlead.internal.events;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.log.LogScope;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The lives of a worker's endpoints: one log line for each change of a state, and an event for the flight recorder. They
 * concern connections, so their number does not depend on the number of messages.
 */
public final class EndpointLog {
    /** Applications configure the logger by this name, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    private final String node;
    private final Outages outages = new Outages();

    /**
     * Creates a log.
     *
     * @param node the node's name
     */
    public EndpointLog(String node) {
        this.node = node;
    }

    /** The event of a handshake that begins now; null unless a recording wants it. */
    public @Nullable EndpointConnectedEvent beginHandshake() {
        if (!FlightRecording.hasBegun() || !EndpointConnectedEvent.WATCH.isEnabled()) {
            return null;
        }
        EndpointConnectedEvent event = new EndpointConnectedEvent();
        event.begin();
        return event;
    }

    /** Records the path that the handshake has chosen. */
    public void recordSelected(EndpointSubject subject, Path path, Collection<String> transportsHere) {
        PathSelectedEvent event = FlightRecording.hasBegun() ? new PathSelectedEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = path.transport();
            event.pathClass = path.pathClass().name();
            event.device = path.device();
            event.cause = path.cause().name();
            event.reason = path.reason();
            event.fallback = isFallback(path, others(path, transportsHere), subject.remoteAddress());
            event.commit();
        }
    }

    private static List<String> others(Path path, Collection<String> transportsHere) {
        List<String> others = new ArrayList<>(transportsHere);
        others.remove(path.transport());
        return others;
    }

    /**
     * Logs the path that the handshake has chosen. A listener logs it only after its peer has completed the handshake:
     * otherwise anyone who reaches its port could fill the log.
     */
    public void logSelected(EndpointSubject subject, Path path, Collection<String> transportsHere) {
        List<String> others = others(path, transportsHere);
        if (isFallback(path, others, subject.remoteAddress()) && LOG.isWarnEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.warn(
                        "selected {} over {} for {} at {}, although {} is here as well: {}",
                        path.transport(),
                        path.device(),
                        subject.label(),
                        subject.remoteAddress(),
                        String.join(", ", others),
                        path.reason());
            }
        } else if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.info(
                        "selected {} over {} for {} at {}: {}",
                        path.transport(),
                        path.device(),
                        subject.label(),
                        subject.remoteAddress(),
                        path.reason());
            }
        }
    }

    /**
     * Whether the pair seems capable of more than TCP. Two hosts without RDMA are not. Two processes of one host are,
     * and so are two sides of which one is configured for TCP.
     */
    static boolean isFallback(Path path, List<String> others, InetSocketAddress peer) {
        return path.pathClass() == PathClass.TCP
                && !others.isEmpty()
                && (path.cause() == PathCause.POLICY || isHere(peer.getAddress()));
    }

    private static boolean isHere(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException unknown) {
            return false;
        }
    }

    /**
     * Logs a connected endpoint.
     *
     * @param event the event of its handshake
     */
    public void logConnected(EndpointSubject subject, Path path, @Nullable EndpointConnectedEvent event) {
        outages.end(subject.remoteAddress());
        if (event != null && event.shouldCommit()) {
            event.node = node;
            event.endpoint = subject.label();
            event.address = String.valueOf(subject.remoteAddress());
            event.identity = subject.identity().toString();
            event.transport = path.transport();
            event.commit();
        }
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.info(
                        "connected {} at {} by {} over {}{}",
                        subject.label(),
                        subject.remoteAddress(),
                        path.transport(),
                        path.device(),
                        identity(subject));
            }
        }
    }

    private static String identity(EndpointSubject subject) {
        PeerIdentity identity = subject.identity();
        return identity.equals(PeerIdentity.ANONYMOUS) ? "" : ", identity: " + identity;
    }

    /** This side has begun to close. */
    public void logClosing(EndpointSubject subject) {
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.info("closing {} at {}{}", subject.label(), subject.remoteAddress(), identity(subject));
            }
        }
    }

    public void logClosed(EndpointSubject subject) {
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.info("closed {} at {}{}", subject.label(), subject.remoteAddress(), identity(subject));
            }
        }
    }

    /** The peer has been idle for a while, and does not count as lost. */
    public void logStalled(EndpointSubject subject, long idleMs, String host, String limit) {
        if (LOG.isWarnEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.warn(
                        "stalled {} at {}{}: silent={} ms, {}; fails at {}",
                        subject.label(),
                        subject.remoteAddress(),
                        identity(subject),
                        idleMs,
                        host,
                        limit);
            }
        }
    }

    /** The peer has sent something again. */
    public void logResumed(EndpointSubject subject, long idleNs) {
        PeerStalledEvent event = FlightRecording.hasBegun() ? new PeerStalledEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = subject.transportName();
            event.silence = idleNs;
            event.commit();
        }
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.info(
                        "resumed {} at {}{} after it had been silent for {} ms",
                        subject.label(),
                        subject.remoteAddress(),
                        identity(subject),
                        idleNs / 1_000_000);
            }
        }
    }

    /** A connection broke, and goes on over another socket. */
    public void logFailover(EndpointSubject subject, String cause, long pauseNs, long repeated) {
        ConnectionResumedEvent event = FlightRecording.hasBegun() ? new ConnectionResumedEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = subject.transportName();
            event.cause = cause;
            event.pause = pauseNs;
            event.replayed = repeated;
            event.commit();
        }
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.info(
                        "connected {} at {}{} again after {} ms, and sent {} bytes again: {}",
                        subject.label(),
                        subject.remoteAddress(),
                        identity(subject),
                        pauseNs / 1_000_000,
                        repeated,
                        cause);
            }
        }
    }

    /** The lanes of an endpoint have failed, and it goes on over its control connection. */
    public void logPathChanged(EndpointSubject subject, Path from, Path to, String cause, long pauseNs, long replayed) {
        PathChangedEvent event = FlightRecording.hasBegun() ? new PathChangedEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = from.transport();
            event.from = from.toString();
            event.to = to.toString();
            event.cause = cause;
            event.pause = pauseNs;
            event.replayed = replayed;
            event.commit();
        }
        Level level = to.cause() == PathCause.FAILOVER ? Level.WARN : Level.INFO;
        if (LOG.isEnabledForLevel(level)) {
            try (LogScope _ = scope(subject)) {
                LOG.atLevel(level)
                        .log(
                                "moved {} at {}{} from {} to {} after {} ms, and sent {} bytes again: {}",
                                subject.label(),
                                subject.remoteAddress(),
                                identity(subject),
                                from.transport(),
                                to.transport(),
                                pauseNs / 1_000_000,
                                replayed,
                                cause);
            }
        }
    }

    /** An endpoint that has left its lanes cannot go back. */
    public void logStayedOffLanes(EndpointSubject subject, String why) {
        if (LOG.isDebugEnabled()) {
            try (LogScope _ = scope(subject)) {
                LOG.debug("{} does not go back to its lanes: {}", subject.label(), why);
            }
        }
    }

    /** A connected endpoint has failed. */
    public void recordLost(EndpointSubject subject, FairleadException cause, long idleNs) {
        PeerFailedEvent event = FlightRecording.hasBegun() ? new PeerFailedEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = subject.transportName();
            event.cause = cause.reason().name();
            event.message = String.valueOf(cause.getMessage());
            event.silence = idleNs;
            event.commit();
        }
    }

    /** Logs the loss of a connection, or a failed handshake of a listener; {@code mayWarn} is called before a warning. */
    public void logFailed(EndpointSubject subject, FairleadException cause, BooleanSupplier mayWarn) {
        if (LOG.isWarnEnabled() && mayWarn.getAsBoolean()) {
            logFailed(Level.WARN, subject, cause);
        }
    }

    /** Logs a failed attempt to connect: a warning for each new reason of an outage, and repetitions at debug level. */
    public void logAttemptFailed(EndpointSubject subject, FairleadException cause) {
        boolean added = outages.add(subject.remoteAddress(), cause.reason());
        logFailed(added ? Level.WARN : Level.DEBUG, subject, cause);
    }

    private void logFailed(Level level, EndpointSubject subject, FairleadException cause) {
        if (LOG.isEnabledForLevel(level)) {
            try (LogScope _ = scope(subject)) {
                LOG.atLevel(level)
                        .log(
                                "failed {} at {}{}: {}",
                                subject.label(),
                                subject.remoteAddress(),
                                identity(subject),
                                cause.getMessage());
            }
        }
    }

    /** Its transport failed to close its part. */
    public void logCloseFailure(EndpointSubject subject, Throwable thrown) {
        try (LogScope _ = scope(subject)) {
            LOG.error("closing {} failed at one of its parts; the others are closed", subject.label(), thrown);
        }
    }

    /** Its transport failed to deliver a complete message. */
    public void logMessageLost(EndpointSubject subject, long tag, Throwable thrown) {
        try (LogScope _ = scope(subject)) {
            LOG.error("a message that {} left behind is lost: tag={}", subject.label(), tag, thrown);
        }
    }

    private LogScope scope(EndpointSubject subject) {
        return LogScope.of(node, subject.label(), subject.transportName());
    }
}
