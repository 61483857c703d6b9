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

/**
 * What becomes of an endpoint, one line in the log for each change of its state, and an event for the flight recorder. They are about
 * connections, so that their number does not depend on the messages that these carry.
 */
public final class EndpointLog {
    /** The name is an application's handle on these lines, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(Endpoint.class);

    private final EndpointSubject subject;
    private final String node;
    private final BooleanSupplier mayWarn;
    /** Under way while somebody records. */
    private @Nullable EndpointConnectedEvent handshake;

    /**
     * Creates the log of an endpoint.
     *
     * @param subject the endpoint
     * @param node the node's name
     * @param mayWarn asked before each warning of a failure
     */
    public EndpointLog(EndpointSubject subject, String node, BooleanSupplier mayWarn) {
        this.subject = subject;
        this.node = node;
        this.mayWarn = mayWarn;
        if (FlightRecording.hasBegun() && EndpointConnectedEvent.WATCH.isEnabled()) {
            handshake = new EndpointConnectedEvent();
            handshake.begin();
        }
    }

    /** The handshake has chosen a path, for whoever records. */
    public void recordSelected(Path path, Collection<String> transportsHere) {
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

    /** The handshake has chosen a path. A listener says so once its peer has completed the handshake: whoever reaches its port could fill the log otherwise. */
    public void logSelected(Path path, Collection<String> transportsHere) {
        List<String> others = others(path, transportsHere);
        if (isFallback(path, others, subject.remoteAddress()) && LOG.isWarnEnabled()) {
            try (LogScope _ = scope()) {
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
            try (LogScope _ = scope()) {
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
     * Whether the pair seems to be capable of more than TCP. Two hosts without RDMA are not; two processes of one host are, and so are
     * two sides of which one was told to take TCP.
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

    public void logConnected(Path path) {
        EndpointConnectedEvent event = handshake;
        handshake = null;
        if (event != null && event.shouldCommit()) {
            event.node = node;
            event.endpoint = subject.label();
            event.address = String.valueOf(subject.remoteAddress());
            event.identity = subject.identity().toString();
            event.transport = path.transport();
            event.commit();
        }
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope()) {
                LOG.info(
                        "connected {} at {} by {} over {}{}",
                        subject.label(),
                        subject.remoteAddress(),
                        path.transport(),
                        path.device(),
                        identity());
            }
        }
    }

    private String identity() {
        PeerIdentity identity = subject.identity();
        return identity.equals(PeerIdentity.ANONYMOUS) ? "" : ", identity: " + identity;
    }

    /** This side has begun to close. */
    public void logClosing() {
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope()) {
                LOG.info("closing {} at {}{}", subject.label(), subject.remoteAddress(), identity());
            }
        }
    }

    public void logClosed() {
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope()) {
                LOG.info("closed {} at {}{}", subject.label(), subject.remoteAddress(), identity());
            }
        }
    }

    /** The peer has been silent for a while, and is not taken for lost. */
    public void logStalled(long silentMs, String host, String limit) {
        if (LOG.isWarnEnabled()) {
            try (LogScope _ = scope()) {
                LOG.warn(
                        "stalled {} at {}{}: silent={} ms, {}; fails at {}",
                        subject.label(),
                        subject.remoteAddress(),
                        identity(),
                        silentMs,
                        host,
                        limit);
            }
        }
    }

    /** The peer is heard again. */
    public void logMoving(long silentNs) {
        PeerStalledEvent event = FlightRecording.hasBegun() ? new PeerStalledEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = subject.transportName();
            event.silence = silentNs;
            event.commit();
        }
        if (LOG.isInfoEnabled()) {
            try (LogScope _ = scope()) {
                LOG.info(
                        "resumed {} at {}{} after it had been silent for {} ms",
                        subject.label(),
                        subject.remoteAddress(),
                        identity(),
                        silentNs / 1_000_000);
            }
        }
    }

    /** A connected endpoint has failed. */
    public void recordLost(FairleadException cause, long silentNs) {
        PeerFailedEvent event = FlightRecording.hasBegun() ? new PeerFailedEvent() : null;
        if (event != null && event.isEnabled()) {
            event.node = node;
            event.endpoint = subject.label();
            event.transport = subject.transportName();
            event.cause = cause.reason().name();
            event.message = String.valueOf(cause.getMessage());
            event.silence = silentNs;
            event.commit();
        }
    }

    public void logFailed(FairleadException cause) {
        if (LOG.isWarnEnabled() && mayWarn.getAsBoolean()) {
            try (LogScope _ = scope()) {
                LOG.warn(
                        "failed {} at {}{}: {}",
                        subject.label(),
                        subject.remoteAddress(),
                        identity(),
                        cause.getMessage());
            }
        }
    }

    /** Its transport has failed to let go of it. */
    public void logCloseFailure(Throwable thrown) {
        try (LogScope _ = scope()) {
            LOG.error("closing {} failed at one of its parts; the others are closed", subject.label(), thrown);
        }
    }

    /** Its transport has failed to hand over a message that is whole. */
    public void logMessageLost(long tag, Throwable thrown) {
        try (LogScope _ = scope()) {
            LOG.error("a message that {} left behind is lost: tag={}", subject.label(), tag, thrown);
        }
    }

    private LogScope scope() {
        return LogScope.of(node, subject.label(), subject.transportName());
    }
}
