package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathClass;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.net.LingeringConnection;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.tls.Secured;
import io.fairlead.internal.tls.TlsHandshake;
import io.fairlead.spi.TransportWorker;
import java.io.IOException;
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
    /** TLS until it is up; null without security. */
    private @Nullable TlsHandshake tls;

    private Secured secured = Secured.NOT;
    /** This side wants TLS, and the peer does not speak it. */
    private boolean withoutTls;

    private @Nullable Welcome welcome;
    private boolean ended;
    /** Runs when this side has said hello or never will. */
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
        this.stream = new HandshakeStream(connection, key);
        this.deadlineNs = deadlineNs;
        this.spoken = spoken;
        key.attach(this);
    }

    /**
     * Begins to connect. What goes wrong fails the endpoint, and is never thrown.
     *
     * @param spoken runs when this side has said hello or never will, maybe before this returns and maybe twice; not if this returns null
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
        } catch (IOException | RuntimeException failure) {
            if (channel != null) {
                SocketConnection.close(channel);
            }
            endpoint.fail(refused(address, failure));
            return null;
        }
    }

    @Override
    public void ready(SelectionKey ready) {
        advance();
    }

    private void advance() {
        if (ended) {
            return;
        }
        try {
            tryAdvance();
        } catch (FairleadException failure) {
            fail(failure.reason() == Reason.PEER_LOST ? hungUp(failure) : failure);
        } catch (IOException failure) {
            fail(connected ? hungUp(failure) : refused(address, failure));
        }
    }

    /** The peer hung up without a word, so that this side cannot know why. */
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
        if (welcome != null) {
            finish(welcome);
            return;
        }
        read();
    }

    /** The socket is connected; the peer may have refused already. */
    private void begin() throws IOException {
        connected = true;
        tls = worker.security().connector(channel, address, key, worker::delegate, this::advance);
        if (tls == null) {
            sendHello();
        } else {
            connection = tls.connection();
        }
    }

    /** Goes on with TLS; true once messages can be read. */
    private boolean trySecure(TlsHandshake securing) throws IOException {
        return switch (securing.advance()) {
            case DONE -> {
                secured = securing.secured();
                stream = new HandshakeStream(connection, key);
                tls = null;
                sendHello();
                yield true;
            }
            case NOT_TLS -> {
                withoutTls = true;
                tls = null;
                connection = new SocketConnection(channel);
                stream = new HandshakeStream(connection, key, securing.giveUp());
                yield true;
            }
            case WAITING -> false;
        };
    }

    private void read() throws IOException {
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
            case Welcome accepted when !withoutTls -> accept(accepted);
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
        TransportWorker transport = worker.offers().transport(accepted.transport());
        if (transport == null
                || !policy.allows(accepted.transport(), accepted.pathClass())
                || (accepted.pathClass() == PathClass.RDMA && worker.security().refusesFabric())) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "peer chose a path that was not offered: peer=" + text() + ", transport=" + accepted.transport()
                            + ", path=" + accepted.pathClass() + ", policy=" + policy);
        }
        welcome = accepted;
        endpoint.agree(
                worker.offers().parameters(accepted, channel, endpoint.id(), endpoint.ownToken(), secured), transport);
        if (!transport.takesConnection()) {
            endpoint.attach(transport, accepted.address(), connection);
            endpoint.wireUp(accepted.wireUpData());
        }
        if (stream.write(new Ready(endpoint.wireUpData()))) {
            finish(accepted);
        }
    }

    private void finish(Welcome accepted) {
        ended = true;
        TransportWorker transport = worker.offers().requireTransport(accepted.transport());
        if (transport.takesConnection()) {
            endpoint.attach(transport, accepted.address(), connection);
        } else {
            endpoint.keepConnection(connection);
        }
        endpoint.endHandshake(deadlineNs);
    }

    private void fail(FairleadException failure) {
        if (tls != null) {
            // The peer is to read why.
            connection.lingerAt(worker::linger);
        }
        cancel();
        endpoint.fail(failure);
    }

    @Override
    public boolean expireIfDue(long nowNs, long gapNs) {
        deadlineNs += TurnGap.excusedNs(gapNs, worker.settings().connectNs());
        if (!ended && nowNs - deadlineNs > 0) {
            String stage = stage();
            tls = null;
            fail(new FairleadException(
                    Reason.TIMED_OUT,
                    "connecting took too long: peer=" + text() + ", connect.timeout="
                            + worker.settings().connectNs() / 1_000_000 + " ms; " + stage));
        }
        return ended;
    }

    /** How far it has come, and what is to be done where that is too little. */
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
            connection.close();
            spoken.run();
        }
    }

    private String text() {
        return address.getHostString() + ":" + address.getPort();
    }

    private static FairleadException refused(InetSocketAddress address, Exception failure) {
        return new FairleadException(
                Reason.CONNECTION_REFUSED,
                "cannot connect: peer=" + address.getHostString() + ":" + address.getPort() + ", cause: "
                        + failure.getMessage() + "; is the peer running and listening there?",
                failure);
    }
}
