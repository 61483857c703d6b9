package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.internal.handshake.HandshakeMessage.Ready;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Welcome;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.TransportWorker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The connecting side: connect, HELLO, WELCOME or REFUSAL, READY. */
public final class ClientHandshake implements Handshake {
    private final HandshakeHost worker;
    private final HandshakeEndpoint endpoint;
    private final PathPolicy policy;
    private final InetSocketAddress address;
    private final SocketChannel channel;
    private final HandshakeStream stream;
    private long deadlineNs;
    private @Nullable Welcome welcome;
    private boolean ended;

    private ClientHandshake(
            HandshakeHost worker,
            HandshakeEndpoint endpoint,
            PathPolicy policy,
            InetSocketAddress address,
            SocketChannel channel,
            SelectionKey key) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.policy = policy;
        this.address = address;
        this.channel = channel;
        this.stream = new HandshakeStream(channel, key);
        this.deadlineNs = worker.nowNs() + worker.settings().connectNs();
        key.attach(this);
    }

    /** Begins to connect. What goes wrong is told to the endpoint, never thrown. */
    public static @Nullable ClientHandshake begin(
            HandshakeHost worker, HandshakeEndpoint endpoint, PathPolicy policy, InetSocketAddress address) {
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
            ClientHandshake handshake = new ClientHandshake(worker, endpoint, policy, address, channel, key);
            if (connected) {
                handshake.sendHello();
            }
            return handshake;
        } catch (IOException | RuntimeException failure) {
            if (channel != null) {
                new SocketConnection(channel).close();
            }
            endpoint.fail(refused(address, failure));
            return null;
        }
    }

    @Override
    public void ready(SelectionKey key) {
        if (ended) {
            return;
        }
        try {
            advance(key);
        } catch (FairleadException failure) {
            fail(failure);
        } catch (IOException failure) {
            fail(refused(address, failure));
        }
    }

    private void advance(SelectionKey key) throws IOException {
        if (key.isConnectable()) {
            if (channel.finishConnect()) {
                sendHello();
            }
            return;
        }
        if (key.isWritable() && !stream.flush()) {
            return;
        }
        if (welcome != null) {
            finish(welcome);
            return;
        }
        HandshakeMessage message = stream.read();
        switch (message) {
            case null -> {}
            case Welcome accepted -> accept(accepted);
            case Refusal refusal ->
                throw new FairleadException(
                        refusal.reason(),
                        "peer refused the connection: peer=" + text() + ", reason: " + refusal.message());
            default ->
                throw new FairleadException(
                        Reason.PROTOCOL_VIOLATION,
                        "unexpected handshake message: peer=" + text() + ", message="
                                + message.getClass().getSimpleName() + ", expected Welcome or Refusal");
        }
    }

    private void sendHello() throws IOException {
        stream.write(worker.offers().hello(endpoint.id(), policy, endpoint.features(), endpoint.ownToken()));
    }

    private void accept(Welcome accepted) throws IOException {
        if (accepted.version() != HandshakeCodec.VERSION) {
            throw new FairleadException(
                    Reason.VERSION_MISMATCH,
                    "peer chose a protocol version that was not offered: peer=" + text() + ", version="
                            + accepted.version() + ", offered=" + HandshakeCodec.VERSION);
        }
        TransportWorker transport = worker.offers().transport(accepted.transport());
        if (transport == null || !policy.allows(accepted.transport(), accepted.pathClass())) {
            throw new FairleadException(
                    Reason.PROTOCOL_VIOLATION,
                    "peer chose a path that was not offered: peer=" + text() + ", transport=" + accepted.transport()
                            + ", path=" + accepted.pathClass() + ", policy=" + policy);
        }
        welcome = accepted;
        endpoint.agree(worker.offers().parameters(accepted, channel, endpoint.id(), endpoint.ownToken()), transport);
        if (!transport.takesConnection()) {
            endpoint.attach(transport, accepted.address(), new SocketConnection(channel));
            endpoint.wireUp(accepted.wireUpData());
        }
        if (stream.write(new Ready(endpoint.wireUpData()))) {
            finish(accepted);
        }
    }

    private void finish(Welcome accepted) {
        ended = true;
        TransportWorker transport = worker.offers().requireTransport(accepted.transport());
        SocketConnection connection = new SocketConnection(channel);
        if (transport.takesConnection()) {
            endpoint.attach(transport, accepted.address(), connection);
        } else {
            endpoint.keepConnection(connection);
        }
        endpoint.endHandshake(deadlineNs);
    }

    private void fail(FairleadException failure) {
        cancel();
        endpoint.fail(failure);
    }

    @Override
    public boolean expireIfDue(long nowNs, long excusedNs) {
        deadlineNs += excusedNs;
        if (!ended && nowNs - deadlineNs > 0) {
            fail(new FairleadException(
                    Reason.TIMED_OUT,
                    "connecting took too long: peer=" + text() + ", connect.timeout="
                            + worker.settings().connectNs() / 1_000_000 + " ms; is a Fairlead listener there?"));
        }
        return ended;
    }

    @Override
    public void cancel() {
        if (!ended) {
            ended = true;
            stream.close();
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
