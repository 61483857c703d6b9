package io.fairlead.internal.handshake;

import io.fairlead.Path;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.HandshakeMessage.Hello;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.handshake.Selection.Candidate;
import io.fairlead.internal.handshake.Selection.Selected;
import io.fairlead.internal.memory.KeySecret;
import io.fairlead.internal.tls.ContextSecurity;
import io.fairlead.internal.tls.Secured;
import io.fairlead.internal.transports.OpenTransports;
import io.fairlead.spi.Reach;
import io.fairlead.spi.TransportWorker;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A worker's own data in handshakes, and its evaluation of the peers' data. */
public final class HandshakeOffers {
    private static final byte[] NO_AUTH = new byte[0];

    // Security values of a Hello.
    private static final int NOT_SECURED = 0;
    private static final int AUTHENTICATED = 1;
    private static final int ENCRYPTED_FABRIC_TRUSTED = 2;
    private static final int ENCRYPTED = 3;

    private final OpenTransports context;
    private final long incarnation;
    private final KeySecret keySecret;
    private final Settings settings;
    private final ContextSecurity security;
    private final Map<String, TransportWorker> transports = new TreeMap<>();
    /** Why this worker lacks transports of the context. */
    private final Map<String, String> causes;

    /**
     * Creates the data of a worker without transports.
     *
     * @param context the transports of its context
     * @param incarnation the identity of its context
     * @param keySecret signs the keys of its context
     */
    public HandshakeOffers(
            OpenTransports context,
            Settings settings,
            ContextSecurity security,
            long incarnation,
            KeySecret keySecret) {
        this.context = context;
        this.settings = settings;
        this.security = security;
        this.incarnation = incarnation;
        this.keySecret = keySecret;
        this.causes = new TreeMap<>(context.causes());
    }

    public void add(String name, TransportWorker worker) {
        transports.put(name, worker);
    }

    /** The context has a transport that this worker lacks. */
    public void addLacking(String name, String cause) {
        causes.put(name, cause);
    }

    /** Why this worker lacks transports, by their names. */
    public Map<String, String> causes() {
        return causes;
    }

    @Nullable TransportWorker transport(String name) {
        return transports.get(name);
    }

    /** The names of the transports that this side has. */
    public Set<String> transports() {
        return transports.keySet();
    }

    TransportWorker requireTransport(String name) {
        return Objects.requireNonNull(transports.get(name), name);
    }

    Hello hello(int endpointId, PathPolicy policy, int features, long token) {
        List<Offer> offers = new ArrayList<>();
        transports.forEach((name, worker) ->
                offers.add(new Offer(name, context.transport(name).version(), worker.address())));
        return new Hello(
                HandshakeCodec.VERSION,
                HandshakeCodec.VERSION,
                ownSecurity(),
                incarnation,
                settings.name(),
                endpointId,
                settings.creditBytes(),
                settings.eagerMax(),
                policy,
                offers,
                NO_AUTH,
                settings.failover() ? features | HandshakeCodec.RESUMABLE : features,
                token,
                keySecret);
    }

    /** Whether a peer's connection can be resumed, by its features. */
    private boolean isResumable(int peerFeatures) {
        return settings.failover() && (peerFeatures & HandshakeCodec.RESUMABLE) != 0;
    }

    /** Whether an endpoint that leaves its lanes may go on over its TCP connection. */
    private static boolean mayUseTcp(PathPolicy policy) {
        return policy.allows("tcp", PathClass.TCP);
    }

    private int ownSecurity() {
        return switch (security.mode()) {
            case OFF -> NOT_SECURED;
            case AUTHENTICATED -> AUTHENTICATED;
            case ENCRYPTED -> security.refusesFabric() ? ENCRYPTED : ENCRYPTED_FABRIC_TRUSTED;
        };
    }

    /** Whether this release knows a Hello's security value. */
    static boolean isSecurity(int value) {
        return value >= NOT_SECURED && value <= ENCRYPTED;
    }

    /** The mode of either side keeps data off a fabric without encryption. */
    private Reach admitted(Reach reach, Hello hello) {
        boolean refusedHere = security.refusesFabric();
        if (reach.pathClass() != PathClass.RDMA || (!refusedHere && hello.security() != ENCRYPTED)) {
            return reach;
        }
        return Reach.none("nothing encrypts RDMA, and security.mode=encrypted at "
                + (refusedHere ? "the listener" : "the connector")
                + "; security.trusted-fabric = true says that the fabric is trusted");
    }

    /**
     * Evaluates every transport that a peer offers and chooses one.
     *
     * @param failures paths that were chosen before and could not be set up
     */
    Selection choose(Hello hello, PathFailures failures) {
        List<Candidate> candidates = new ArrayList<>();
        Set<String> connectorOnly = new HashSet<>();
        Set<String> listenerOnly = new HashSet<>(transports.keySet());
        for (Offer offer : hello.offers()) {
            TransportWorker worker = transports.get(offer.transport());
            if (worker == null) {
                connectorOnly.add(offer.transport());
            } else {
                listenerOnly.remove(offer.transport());
                candidates.add(new Candidate(
                        offer.transport(), context.rank(offer.transport()), reach(offer, worker, hello, failures)));
            }
        }
        return failures.named(
                Selection.choose(candidates, settings.policy(), hello.policy(), listenerOnly, connectorOnly, causes));
    }

    private Reach reach(Offer offer, TransportWorker worker, Hello hello, PathFailures failures) {
        String failure = failures.causes().get(offer.transport());
        return failure == null
                ? admitted(
                        context.transport(offer.transport()).reach(worker.address(), offer.version(), offer.address()),
                        hello)
                : Reach.none(failure);
    }

    Welcome welcome(Hello hello, int endpointId, Selected selected, int features, long token) {
        return new Welcome(
                HandshakeCodec.VERSION,
                incarnation,
                settings.name(),
                endpointId,
                settings.creditBytes(),
                settings.eagerMax(),
                selected.transport(),
                requireTransport(selected.transport()).address(),
                Objects.requireNonNull(selected.reach().pathClass(), "pathClass"),
                selected.reach().device(),
                selected.reach().lanes(),
                selected.cause(),
                selected.reason(),
                NO_AUTH,
                isResumable(hello.features()) ? features | HandshakeCodec.RESUMABLE : features,
                token,
                keySecret,
                new byte[0]);
    }

    /** The connecting side's view of a welcome. */
    ConnectionParameters parameters(
            Welcome welcome, PathPolicy policy, SocketChannel channel, int endpointId, long ownToken, Secured secured) {
        Path path = path(welcome, channel, Selection.atConnector(welcome.reason(), obstacles(welcome)));
        return parameters(
                welcome.name(),
                welcome.incarnation(),
                welcome.sourceId(),
                path,
                welcome.eagerMax(),
                welcome.creditBytes(),
                welcome.features(),
                mayUseTcp(policy),
                secret(secured, ownToken, welcome.token(), keySecret, welcome.keySecret())
                        .pathKeys(
                                pathName(welcome), incarnation, endpointId, welcome.incarnation(), welcome.sourceId()),
                welcome.keySecret(),
                channel,
                secured);
    }

    /** Why this side has no better path. With shared memory chosen, only transports of that class could be better. */
    private Map<String, String> obstacles(Welcome welcome) {
        if (welcome.pathClass() != PathClass.SHARED_MEMORY) {
            return causes;
        }
        Map<String, String> better = new TreeMap<>(causes);
        better.keySet().removeIf(name -> context.rank(name) > context.rank(welcome.transport()));
        return better;
    }

    /** The listening side's view of its own welcome. */
    ConnectionParameters parameters(Hello hello, Welcome welcome, SocketChannel channel, Secured secured) {
        Path path = path(welcome, channel, welcome.reason());
        return parameters(
                hello.name(),
                hello.incarnation(),
                hello.sourceId(),
                path,
                hello.eagerMax(),
                hello.creditBytes(),
                hello.features(),
                mayUseTcp(settings.policy()) && mayUseTcp(hello.policy()),
                secret(secured, hello.token(), welcome.token(), hello.keySecret(), keySecret)
                        .pathKeys(
                                pathName(welcome),
                                hello.incarnation(),
                                hello.sourceId(),
                                incarnation,
                                welcome.sourceId()),
                hello.keySecret(),
                channel,
                secured);
    }

    /** The source of both sides' keys: the TLS exporter, or the plain text of the handshake. */
    private static ConnectionSecret secret(
            Secured secured, long connectorHalf, long listenerHalf, KeySecret connector, KeySecret listener) {
        return secured.isTls()
                ? ConnectionSecret.ofExporter(secured.pathSecret())
                : ConnectionSecret.ofHandshake(connectorHalf, listenerHalf, connector, listener);
    }

    /** The path that keys are bound to, with its class, so both sides mean the same one. */
    private static String pathName(Welcome welcome) {
        return welcome.transport() + " " + welcome.pathClass();
    }

    private Path path(Welcome welcome, SocketChannel channel, String reason) {
        return new Path(
                welcome.transport(),
                welcome.pathClass(),
                device(welcome, channel),
                welcome.lanes(),
                welcome.cause(),
                reason);
    }

    /** If the data uses the control connection, its device is this side's network interface. */
    private String device(Welcome welcome, SocketChannel channel) {
        if (!requireTransport(welcome.transport()).takesConnection()) {
            return welcome.device();
        }
        try {
            NetworkInterface network =
                    NetworkInterface.getByInetAddress(channel.socket().getLocalAddress());
            return network == null ? welcome.device() : network.getName();
        } catch (SocketException unknown) {
            return welcome.device();
        }
    }

    private ConnectionParameters parameters(
            String peerName,
            long peerIncarnation,
            int sourceId,
            Path path,
            int peerEager,
            int peerWindow,
            int peerFeatures,
            boolean mayUseTcp,
            PathKeys keys,
            KeySecret peerSecret,
            SocketChannel channel,
            Secured secured) {
        return new ConnectionParameters(
                peerName,
                peerIncarnation,
                sourceId,
                path,
                peerEager,
                peerWindow,
                peerFeatures & ~HandshakeCodec.RESUMABLE,
                isResumable(peerFeatures),
                mayUseTcp,
                keys,
                peerSecret,
                (InetSocketAddress) channel.socket().getLocalSocketAddress(),
                secured);
    }
}
