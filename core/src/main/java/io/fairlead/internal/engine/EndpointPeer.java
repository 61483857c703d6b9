package io.fairlead.internal.engine;

import io.fairlead.Path;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.handshake.ConnectionParameters;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.tls.Secured;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is known of the peer of one endpoint, and of the path to it. */
final class EndpointPeer implements EndpointSubject {
    private final int id;
    private final InetSocketAddress remoteAddress;
    /** What the handshake has settled. */
    private @Nullable ConnectionParameters parameters;

    private @Nullable Path path;

    EndpointPeer(int id, InetSocketAddress remoteAddress) {
        this.id = id;
        this.remoteAddress = remoteAddress;
    }

    void agree(ConnectionParameters agreed) {
        parameters = agreed;
        path = agreed.path();
    }

    /** The path that was chosen names what may be used; by now it may be known what is. */
    void useLanes(List<String> lanes) {
        Path chosen = path;
        if (chosen != null && !lanes.isEmpty()) {
            path = new Path(
                    chosen.transport(), chosen.pathClass(), chosen.device(), lanes, chosen.cause(), chosen.reason());
        }
    }

    /** The connection has ended: what is known of it stays, and nothing of TLS. */
    void end() {
        ConnectionParameters agreed = parameters;
        if (agreed != null) {
            parameters = agreed.ended();
        }
    }

    Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    /** What the peer calls itself; empty until it has said so. */
    String name() {
        return parameters == null ? "" : parameters.peerName();
    }

    @Override
    public String transportName() {
        return parameters == null ? "" : parameters.path().transport();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** This side's end of the control connection; empty until the handshake is over. */
    Optional<InetSocketAddress> localAddress() {
        return Optional.ofNullable(parameters).map(ConnectionParameters::localAddress);
    }

    @Override
    public String label() {
        return name().isEmpty() ? "#" + id : "#" + id + " to " + name();
    }

    /** The label with what the peer knows the endpoint by: two workers may each have an endpoint of one number to peers of one name. */
    String distinctLabel() {
        return label() + " (its #" + sourceId() + ", incarnation " + Long.toHexString(incarnation()) + ")";
    }

    long incarnation() {
        return parameters == null ? 0 : parameters.peerIncarnation();
    }

    /** What the peer signs its remote keys with. */
    KeySecret secret() {
        return parameters == null ? KeySecret.NONE : parameters.peerSecret();
    }

    /** Whether the handshake has settled who the peer is. */
    boolean isAgreed() {
        return parameters != null;
    }

    /** How the connection is secured; not at all before its handshake. */
    Secured secured() {
        return parameters == null ? Secured.NOT : parameters.secured();
    }

    @Override
    public PeerIdentity identity() {
        return secured().identity();
    }

    /** What the layer above the peer's worker can do. */
    int features() {
        return parameters == null ? 0 : parameters.peerFeatures();
    }

    /** What tagged messages to the peer carry. */
    int sourceId() {
        return parameters == null ? 0 : parameters.sourceId();
    }

    /** A key of the connection for one purpose; to be had once the handshake has settled it. */
    byte[] pathKey(String label) {
        return Objects.requireNonNull(parameters, "parameters").keys().key(label);
    }
}
