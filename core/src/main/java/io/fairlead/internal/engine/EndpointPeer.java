package io.fairlead.internal.engine;

import io.fairlead.Path;
import io.fairlead.PathCause;
import io.fairlead.PathClass;
import io.fairlead.PeerIdentity;
import io.fairlead.internal.events.EndpointSubject;
import io.fairlead.internal.handshake.ConnectionParameters;
import io.fairlead.internal.handshake.PathKeys;
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

    // The result of the handshake.

    private String name = "";
    private long incarnation;
    private int sourceId;
    private int features;
    private KeySecret secret = KeySecret.NONE;
    /** How the connection is secured; not at all before its handshake. */
    private Secured secured = Secured.NOT;

    private @Nullable Path path;
    /** The path over the lanes that were left last. */
    private @Nullable Path lanePath;
    /** The secret of the connection's {@link PathKeys}; null until the handshake has authenticated the peer. */
    private byte @Nullable [] pathSecret;

    private @Nullable InetSocketAddress localAddress;

    EndpointPeer(int id, InetSocketAddress remoteAddress) {
        this.id = id;
        this.remoteAddress = remoteAddress;
    }

    void agree(ConnectionParameters agreed, SharedValues shared) {
        name = shared.name(agreed.peerName());
        incarnation = agreed.peerIncarnation();
        sourceId = agreed.sourceId();
        features = agreed.peerFeatures();
        secret = shared.secret(agreed.peerSecret());
        secured = agreed.secured();
        path = agreed.path();
        pathSecret = agreed.keys().secret();
        localAddress = agreed.localAddress();
    }

    /** Replaces the lanes of the chosen path, which are possible ones, by those in use. */
    void useLanes(List<String> lanes, SharedValues shared) {
        Path chosen = path;
        if (chosen == null) {
            return;
        }
        if (!lanes.isEmpty()) {
            chosen = new Path(
                    chosen.transport(), chosen.pathClass(), chosen.device(), lanes, chosen.cause(), chosen.reason());
        }
        path = shared.path(chosen);
    }

    /** The path's lanes have failed: the data takes the control connection. Returns the path that it took before. */
    @Nullable Path leaveLanes(String cause, SharedValues shared) {
        Path before = path;
        if (before != null) {
            lanePath = before;
            path = shared.path(new Path(
                    "tcp",
                    PathClass.TCP,
                    localAddress == null ? "" : localAddress.getAddress().getHostAddress(),
                    List.of(),
                    PathCause.FAILOVER,
                    before.transport() + " has failed: " + cause));
        }
        return before;
    }

    /** The data takes lanes again, as before they failed. Returns the path that it took meanwhile. */
    @Nullable Path returnToLanes(List<String> lanes, SharedValues shared) {
        Path meanwhile = path;
        path = lanePath;
        useLanes(lanes, shared);
        return meanwhile;
    }

    /** The name of the transport that the handshake has chosen, which keys are for; empty before. */
    String chosenTransport() {
        Path chosen = lanePath == null ? path : lanePath;
        return chosen == null ? "" : chosen.transport();
    }

    /** The connection has ended: the peer's data stays, the TLS state is dropped. */
    void end() {
        if (secured.isTls()) {
            secured = secured.ended();
        }
    }

    Optional<Path> path() {
        return Optional.ofNullable(path);
    }

    /** The name that the peer sent; empty until it arrives. */
    String name() {
        return name;
    }

    @Override
    public String transportName() {
        return path == null ? "" : path.transport();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** This side's address of the control connection; empty until the handshake has ended. */
    Optional<InetSocketAddress> localAddress() {
        return Optional.ofNullable(localAddress);
    }

    @Override
    public String label() {
        return name.isEmpty() ? "#" + id : "#" + id + " to " + name;
    }

    /**
     * The label with the peer's number of the endpoint. Two workers may each have an endpoint of the same number to
     * peers of the same name.
     */
    String distinctLabel() {
        return label() + " (its #" + sourceId + ", incarnation " + Long.toHexString(incarnation) + ")";
    }

    long incarnation() {
        return incarnation;
    }

    /** The secret that signs the peer's remote keys. */
    KeySecret secret() {
        return secret;
    }

    /** Whether the handshake has authenticated the peer. */
    boolean isAgreed() {
        return pathSecret != null;
    }

    /** How the connection is secured. */
    Secured secured() {
        return secured;
    }

    @Override
    public PeerIdentity identity() {
        return secured.identity();
    }

    /** The features of the layer above the peer's worker. */
    int features() {
        return features;
    }

    /** The source number in tagged messages to the peer. */
    int sourceId() {
        return sourceId;
    }

    /** A key of the connection for one purpose; available after the handshake. */
    byte[] pathKey(String label) {
        return PathKeys.key(Objects.requireNonNull(pathSecret, "pathSecret"), label);
    }
}
