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

/** Data about the peer of one endpoint, and about the path to it. */
final class EndpointPeer implements EndpointSubject {
    private final int id;
    private final InetSocketAddress remoteAddress;
    /** The result of the handshake. */
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

    /** Replaces the lanes of the chosen path, which are possible ones, by those in use. */
    void useLanes(List<String> lanes) {
        Path chosen = path;
        if (chosen != null && !lanes.isEmpty()) {
            path = new Path(
                    chosen.transport(), chosen.pathClass(), chosen.device(), lanes, chosen.cause(), chosen.reason());
        }
    }

    /** The connection has ended: the peer's data stays, the TLS state is dropped. */
    void end() {
        ConnectionParameters agreed = parameters;
        if (agreed != null) {
            parameters = agreed.ended();
        }
    }

    Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    /** The name that the peer sent; empty until it arrives. */
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

    /** This side's address of the control connection; empty until the handshake has ended. */
    Optional<InetSocketAddress> localAddress() {
        return Optional.ofNullable(parameters).map(ConnectionParameters::localAddress);
    }

    @Override
    public String label() {
        return name().isEmpty() ? "#" + id : "#" + id + " to " + name();
    }

    /**
     * The label with the peer's number of the endpoint. Two workers may each have an endpoint of the same number to
     * peers of the same name.
     */
    String distinctLabel() {
        return label() + " (its #" + sourceId() + ", incarnation " + Long.toHexString(incarnation()) + ")";
    }

    long incarnation() {
        return parameters == null ? 0 : parameters.peerIncarnation();
    }

    /** The secret that signs the peer's remote keys. */
    KeySecret secret() {
        return parameters == null ? KeySecret.NONE : parameters.peerSecret();
    }

    /** Whether the handshake has authenticated the peer. */
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

    /** The features of the layer above the peer's worker. */
    int features() {
        return parameters == null ? 0 : parameters.peerFeatures();
    }

    /** The source number in tagged messages to the peer. */
    int sourceId() {
        return parameters == null ? 0 : parameters.sourceId();
    }

    /** A key of the connection for one purpose; available after the handshake. */
    byte[] pathKey(String label) {
        return Objects.requireNonNull(parameters, "parameters").keys().key(label);
    }
}
