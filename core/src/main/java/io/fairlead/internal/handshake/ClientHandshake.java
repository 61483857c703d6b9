package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Decline;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Settled;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.net.DescriptorShortage;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.tls.Secured;
import io.fairlead.internal.tls.TlsHandshake;
import io.fairlead.spi.TransportWorker;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The connecting side: connect, TLS if connections are secured, HELLO, WELCOME or REFUSAL, READY. */
public final class ClientHandshake implements Handshake {
    private final HandshakeHost worker;
    private final HandshakeEndpoint endpoint;
    private final PathPolicy policy;
    private final InetSocketAddress address;
    private final SocketChannel channel;
    private final SelectionKey key;
    private LingeringConnection connection;
    private HandshakeStream stream;
    private long deadlineNs;
    private boolean connected;
    private boolean greeted;
    /** TLS until its handshake has ended; null without security. */
    private @Nullable TlsHandshake tls;

    private Secured secured = Secured.NOT;
    /** This side requires TLS, and the peer does not support it. */
    private boolean withoutTls;

    private @Nullable Welcome welcome;
    private final PathFailures failures = new PathFailures();
    private Settlement settlement = new Settlement();
    /** The deadline of the transport's own connecting, if there are other paths. */
    private long settleUntilNs;

    private boolean ended;
    /** Runs when this side has sent its hello or never will. */
    private final Runnable spoken;

    private ClientHandshake(
            HandshakeHost worker,
            HandshakeEndpoint endpoint,
            PathPolicy policy,
            InetSocketAddress address,
            SocketChannel channel,
            SelectionKey key,
            long deadlineNs,
            Runnable spoken) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.policy = policy;
        this.address = address;
        this.channel = channel;
        this.key = key;
        this.connection = new SocketConnection(channel);
        this.stream = new HandshakeStream(connection, key.selector());
        this.deadlineNs = deadlineNs;
        this.spoken = spoken;
        key.attach(this);
    }

    /**
     * Begins to connect. Errors fail the endpoint, and are never thrown.
     *
     * @param spoken runs when this side has sent its hello or never will, possibly before this returns and possibly
     *     twice; not if this returns null
     */
    public static @Nullable ClientHandshake begin(
            HandshakeHost worker,
            HandshakeEndpoint endpoint,
            PathPolicy policy,
            InetSocketAddress address,
            long deadlineNs,
            Runnable spoken) {
        String shortage = worker.shortage();
        if (!shortage.isEmpty()) {
            endpoint.fail(new FairleadException(
                    Reason.LIMIT_REACHED,
                    "cannot connect: peer=" + address.getHostString() + ":" + address.getPort() + ", " + shortage));
            return null;
        }
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            SocketConnection.sendAtOnce(channel);
            boolean connected = channel.connect(address);
            SelectionKey key = channel.register(worker.selector(), SelectionKey.OP_CONNECT);
            ClientHandshake handshake =
                    new ClientHandshake(worker, endpoint, policy, address, channel, key, deadlineNs, spoken);
            if (connected) {
                handshake.advance();
            }
            return handshake;
        } catch (Throwable failure) {
            if (channel != null) {
                SocketConnection.close(channel);
            }
            endpoint.fail(
                    failure instanceof IOException refusal
                            ? refused(address, refusal)
                            : HandshakeFailure.of(text(address), failure));
            return null;
        }
    }

    @Override
    public void ready(SelectionKey ready) {
        advance();
    }

    private void advance() {
        if (!ended) {
            advanceBy(this::tryAdvance);
        }
    }

    /** A step of the handshake. */
    private interface Step {
        void run() throws IOException;
    }

    private void advanceBy(Step step) {
        try {
            step.run();
        } catch (FairleadException failure) {
            fail(failure.reason() == Reason.PEER_LOST ? hungUp(failure) : failure);
        } catch (IOException failure) {
            fail(connected ? hungUp(failure) : refused(address, failure));
        } catch (Throwable thrown) {
            fail(HandshakeFailure.of(text(), thrown));
        }
    }

    /** The peer closed the connection without a message, so the reason is unknown. */
    private FairleadException hungUp(Exception failure) {
        return new FairleadException(
                Reason.PEER_LOST,
                "peer hung up during the handshake: peer=" + text() + ", cause: " + failure.getMessage()
                        + "; it may be over its limits, or busy for longer than its listener.hello-timeout: try again",
                failure);
    }

    private void tryAdvance() throws IOException {
        if (!connected) {
            if (!channel.finishConnect()) {
                return;
            }
            begin();
        }
        if (tls != null && !trySecure(tls)) {
            return;
        }
        if (!stream.flush()) {
            return;
        }
        if (welcome != null && !settlement.isBegun()) {
            finish(welcome);
        }
        tryRelease();
        boolean read = true;
        // Read up to the last message: the selector does not signal bytes that TLS has decrypted already.
        while (read && !ended && stream.isFlushed()) {
            read = read();
        }
    }

    /** The socket is connected; the peer may already have sent a refusal. */
    private void begin() throws IOException {
        connected = true;
        tls = worker.security().connector(channel, address, key, worker::delegate, this::advance);
        if (tls == null) {
            sendHello();
        } else {
            connection = tls.connection();
        }
    }

    /** Continues the TLS handshake; true once messages can be read. */
    private boolean trySecure(TlsHandshake securing) throws IOException {
        return switch (securing.advance()) {
            case DONE -> {
                secured = securing.secured();
                stream = new HandshakeStream(connection, key.selector());
                tls = null;
                sendHello();
                yield true;
            }
            case NOT_TLS -> {
                withoutTls = true;
                tls = null;
                SocketConnection socket = new SocketConnection(channel);
                socket.takeBack(securing.giveUp());
                connection = socket;
                stream = new HandshakeStream(connection, key.selector());
                yield true;
            }
            case WAITING -> false;
        };
    }

    /** Reads a message; false if there is none. */
    private boolean read() throws IOException {
        HandshakeMessage message = stream.read();
        switch (message) {
            case null -> {
                if (stream.isTls()) {
                    throw new FairleadException(
                            Reason.REFUSED,
                            "peer speaks TLS, and security.mode=off here: peer=" + text()
                                    + "; set security.mode as it is at the peer");
                }
            }
            case Refusal refusal
            when withoutTls && refusal.reason() == Reason.LIMIT_REACHED ->
                throw new FairleadException(
                        refusal.reason(),
                        "peer refused the connection before TLS: peer=" + text() + ", reason: " + refusal.message());
            case Refusal refusal
            when withoutTls ->
                throw new FairleadException(
                        refusal.reason(),
                        "peer does not speak TLS: peer=" + text() + ", security.mode="
                                + worker.security().modeText() + " here; it says: " + refusal.message());
            case Welcome accepted when !withoutTls && !settlement.isOwn() -> accept(accepted);
            case Settled _
            when settlement.awaitsPeer() -> {
                settlement.markPeer();
                tryRelease();
            }
            case Refusal refusal when !failures.isEmpty() -> throw failures.none(refusal.message());
            case Refusal refusal ->
                throw new FairleadException(
                        refusal.reason(),
                        "peer refused the connection: peer=" + text() + ", reason: " + refusal.message());
            default ->
                throw new FairleadException(
                        Reason.PROTOCOL_VIOLATION,
                        "unexpected handshake message: peer=" + text() + ", message="
                                + message.getClass().getSimpleName()
                                + ", expected Welcome or Refusal; is a Fairlead listener there?");
        }
        return message != null;
    }

    private void sendHello() throws IOException {
        FairleadException distrust = worker.access().distrust(secured.identity(), address);
        if (distrust != null) {
            throw distrust;
        }
        greeted = true;
        stream.write(worker.offers().hello(endpoint.id(), policy, endpoint.features(), endpoint.ownToken()));
        spoken.run();
    }

    private void accept(Welcome accepted) throws IOException {
        if (accepted.version() != HandshakeCodec.VERSION) {
            throw new FairleadException(
                    Reason.VERSION_MISMATCH,
                    "peer chose a protocol version that was not offered: peer=" + text() + ", version="
                            + accepted.version() + ", offered=" + HandshakeCodec.VERSION);
        }
        // The listener's TLS handshake may have ended long ago, without any message since.
        FairleadException distrust = worker.security().expiry(secured, worker.nowNs(), endpoint.endpoint());
        if (distrust != null) {
            throw distrust;
        }
        Welcome before = welcome;
        if (before != null) {
            // The listener could not set up the path that it chose; the reason for this path explains it.
            giveUpPath(before, "listener", new FairleadException(Reason.TRANSPORT, accepted.reason()));
        }
        TransportWorker transport = worker.offers().transport(accepted.transport());
        if (transport == null
                || failures.contains(accepted.transport())
                || !policy.allows(accepted.transport(), accepted.pathClass())
                || (accepted.pathClass() == PathClass.RDMA && worker.security().refusesFabric())) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "peer chose a path that was not offered: peer=" + text() + ", transport=" + accepted.transport()
                            + ", path=" + accepted.pathClass() + ", policy=" + policy);
        }
        welcome = accepted;
        Ready ready;
        try {
            ready = new Ready(setUp(accepted, transport));
        } catch (RuntimeException | Error thrown) {
            outlive();
            decline(accepted, PathFailures.of(accepted.transport(), thrown));
            return;
        }
        outlive();
        if (stream.write(ready)) {
            finish(accepted);
        }
    }

    /** Creates the transport's endpoint; returns the data for the listener's. */
    private byte[] setUp(Welcome accepted, TransportWorker transport) {
        endpoint.agree(
                worker.offers().parameters(accepted, policy, channel, endpoint.id(), endpoint.ownToken(), secured),
                transport);
        if (!transport.takesConnection()) {
            endpoint.attach(transport, accepted.address(), connection);
            endpoint.wireUp(accepted.wireUpData());
        }
        return endpoint.wireUpData();
    }

    /** The listener has the endpoint by now. */
    private void outlive() throws IOException {
        LingeringConnection outlived = endpoint.outlive(connection);
        if (outlived != null) {
            connection = outlived;
            connection.serve(key.selector(), this);
            stream = new HandshakeStream(connection, key.selector());
        }
    }

    /** Requests the next path from the listener. */
    private void decline(Welcome chosen, FairleadException failure) throws IOException {
        if (!PathFailures.mayTryNext(failure)) {
            throw failure;
        }
        giveUpPath(chosen, "connector", failure);
        boolean _ =
                stream.write(new Decline(chosen.transport(), failure.reason(), String.valueOf(failure.getMessage())));
    }

    private void giveUpPath(Welcome chosen, String side, FairleadException failure) {
        welcome = null;
        settlement = new Settlement();
        failures.add(chosen.transport(), side, failure);
        endpoint.detach();
    }

    private void finish(Welcome accepted) {
        TransportWorker transport = worker.offers().requireTransport(accepted.transport());
        if (transport.connectsByItself()) {
            settlement.begin();
            // A quarter of the time remains for the next path.
            settleUntilNs = deadlineNs - (deadlineNs - worker.nowNs()) / 4;
            endpoint.settle(deadlineNs);
            return;
        }
        ended = true;
        try {
            if (transport.takesConnection()) {
                endpoint.attach(transport, accepted.address(), connection);
            } else {
                endpoint.keepConnection(connection);
            }
        } catch (Throwable thrown) {
            // It has no owner.
            SocketConnection.hangUp(connection);
            throw thrown;
        }
        endpoint.endHandshake(deadlineNs);
    }

    @Override
    public void transportReady() {
        if (!ended && settlement.isBegun() && !settlement.isOwn()) {
            settlement.markOwn();
            advanceBy(() -> {
                if (stream.write(new Settled())) {
                    tryRelease();
                }
            });
        }
    }

    @Override
    public boolean tryNextPath(FairleadException cause) {
        Welcome chosen = welcome;
        if (ended || chosen == null || !settlement.mayTurnBack() || !PathFailures.mayTryNext(cause)) {
            return false;
        }
        advanceBy(() -> decline(chosen, cause));
        return true;
    }

    /**
     * The transport may never connect the endpoint, for example in a network that drops its packets. Only the connector
     * checks the deadline, so the two sides do not switch simultaneously.
     */
    private void turnFromSlowPath() {
        if (policy.equals(PathPolicy.AUTO)
                && worker.offers().transports().size() > failures.causes().size() + 1) {
            boolean _ = tryNextPath(new FairleadException(
                    Reason.TIMED_OUT,
                    "not connected within three quarters of connect.timeout="
                            + worker.settings().connectNs() / 1_000_000 + " ms"));
        }
    }

    /** Both sides are ready: the endpoint takes the connection. */
    private void tryRelease() {
        if (!ended && settlement.isOver() && stream.isFlushed()) {
            ended = true;
            try {
                endpoint.keepConnection(connection);
            } catch (Throwable thrown) {
                // It has no owner.
                SocketConnection.hangUp(connection);
                throw thrown;
            }
        }
    }

    private void fail(FairleadException failure) {
        if (tls != null) {
            // The peer must be able to read the reason.
            connection.lingerAt(worker::linger);
        }
        cancel();
        endpoint.fail(failure);
    }

    @Override
    public boolean expireIfDue(long nowNs, long gapNs) {
        long excusedNs = TurnGap.excusedNs(gapNs, worker.settings().connectNs());
        deadlineNs += excusedNs;
        settleUntilNs += excusedNs;
        if (settlement.mayTurnBack() && nowNs - settleUntilNs > 0) {
            turnFromSlowPath();
        }
        // While the transport connects the endpoint, the endpoint checks the deadline.
        if (!ended && !settlement.isBegun() && nowNs - deadlineNs > 0) {
            String stage = stage();
            tls = null;
            fail(
                    failures.isEmpty()
                            ? new FairleadException(
                                    Reason.TIMED_OUT,
                                    "connecting took too long: peer=" + text() + ", connect.timeout="
                                            + worker.settings().connectNs() / 1_000_000 + " ms; " + stage)
                            : failures.none("the listener did not offer another one in time"));
        }
        return ended || isLeftToEndpoint();
    }

    @Override
    public boolean isLeftToEndpoint() {
        return settlement.isOwn();
    }

    /** The stage of the handshake, and the remedy for a failure there. */
    private String stage() {
        if (!connected) {
            return "there is no TCP connection: the host does not answer, or too many others wait for its listener";
        }
        if (!greeted) {
            return "TLS is not done: one side is too busy, or no Fairlead listener is there";
        }
        if (welcome == null) {
            return "the connection is there, and the hello was not answered: the listener's worker is too busy or makes no progress, or no Fairlead"
                    + " listener is there; connect fewer at once, or raise connect.timeout";
        }
        return "the listener does not take the last word of the handshake: its worker is too busy or makes no progress";
    }

    @Override
    public void cancel() {
        if (!ended) {
            ended = true;
            SocketConnection.hangUp(connection);
            spoken.run();
        }
    }

    private String text() {
        return text(address);
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** The failure that the operating system reported for an attempt to connect. */
    static FairleadException refused(InetSocketAddress address, IOException failure) {
        String shortage = DescriptorShortage.of(failure);
        if (!shortage.isEmpty()) {
            return new FairleadException(
                    Reason.LIMIT_REACHED, "cannot connect: peer=" + text(address) + ", " + shortage, failure);
        }
        if (failure instanceof BindException) {
            // The operating system did not contact the peer.
            return new FairleadException(
                    Reason.LIMIT_REACHED,
                    "no local port or address to connect from: peer=" + text(address) + ", cause: "
                            + failure.getMessage()
                            + "; close connections to the peer and wait until their ports leave TIME_WAIT, or widen net.ipv4.ip_local_port_range",
                    failure);
        }
        return new FairleadException(
                Reason.CONNECTION_REFUSED,
                "cannot connect: peer=" + text(address) + ", cause: " + failure.getMessage()
                        + "; is the peer running and listening there?",
                failure);
    }
}
