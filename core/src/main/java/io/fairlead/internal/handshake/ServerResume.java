package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.internal.handshake.HandshakeMessage.Challenge;
import io.fairlead.internal.handshake.HandshakeMessage.Proof;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeMessage.Resumed;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening side of {@link ClientResume}. Until the peer has proved that it is the other side of the connection,
 * the connection is not touched: its old socket may be a healthy one.
 */
public final class ServerResume implements Selectable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerResume.class);

    /** The connection that is to be resumed. */
    public interface Connection {
        /** The peer has proved itself: closes the old socket. Returns how far the peer's stream was read. */
        long fence();

        /** As {@link ClientResume.Connection#resume}. */
        void resume(SocketChannel socket, long peerRead) throws IOException;

        /** The peer breaks a rule. */
        void refused(FairleadException cause);
    }

    private final Connection connection;
    private final ResumeSecret secret;
    private final Bytes32 connectorNonce;
    private final Bytes32 nonce = Bytes32.random();
    private final SocketChannel channel;
    private final HandshakeStream stream;
    private final long deadlineNs;
    /** Set once the peer has proved itself. */
    private @Nullable Proof proof;

    private boolean ended;

    /**
     * Answers a peer.
     *
     * @param channel its socket, belongs to this from now on
     * @param deadlineNs when it is closed without a proof
     * @throws IOException if the socket is closed
     */
    public ServerResume(
            Connection connection,
            ResumeSecret secret,
            Resume resume,
            SocketChannel channel,
            Selector selector,
            long deadlineNs)
            throws IOException {
        this(connection, secret, resume, channel, keyOf(channel, selector), deadlineNs);
    }

    ServerResume(
            Connection connection,
            ResumeSecret secret,
            Resume resume,
            SocketChannel channel,
            SelectionKey key,
            long deadlineNs)
            throws IOException {
        this.connection = connection;
        this.secret = secret;
        this.connectorNonce = resume.nonce();
        this.channel = channel;
        this.deadlineNs = deadlineNs;
        key.attach(this);
        this.stream = new HandshakeStream(new SocketConnection(channel), key.selector());
        stream.write(new Challenge(nonce));
    }

    private static SelectionKey keyOf(SocketChannel channel, Selector selector) throws IOException {
        SelectionKey key = channel.keyFor(selector);
        if (key == null) {
            return channel.register(selector, SelectionKey.OP_READ);
        }
        if (!key.isValid()) {
            throw new ClosedChannelException();
        }
        return key;
    }

    /** Whether it has ended, in whatever way. */
    public boolean isOver() {
        return ended;
    }

    /** Ends it at the deadline. */
    public void expireIfDue(long nowNs) {
        if (!ended && nowNs - deadlineNs > 0) {
            LOG.debug("a peer that wanted to resume a connection did not prove itself in time");
            cancel();
        }
    }

    /** Closes the socket. */
    public void cancel() {
        ended = true;
        SocketConnection.close(channel);
    }

    @Override
    public void ready(SelectionKey key) {
        try {
            advance();
        } catch (FairleadException violation) {
            cancel();
            if (proof != null) {
                connection.refused(violation);
            } else {
                LOG.debug("a peer that has not proved itself is refused", violation);
            }
        } catch (IOException | RuntimeException failure) {
            LOG.debug("a peer that resumes a connection is gone", failure);
            cancel();
        }
    }

    private void advance() throws IOException {
        if (ended || !stream.flush()) {
            return;
        }
        Proof proved = proof;
        if (proved == null) {
            HandshakeMessage message = stream.read();
            if (message == null) {
                if (stream.isTls()) {
                    throw new IOException("the peer goes on in TLS");
                }
                return;
            }
            if (!(message instanceof Proof said)
                    || !ResumeSecret.isSame(
                            secret.ofConnector(connectorNonce, nonce, said.bytesRead()), said.signature())) {
                throw new IOException("the proof is wrong");
            }
            proof = said;
            proved = said;
            long bytesRead = connection.fence();
            if (!stream.write(
                    new Resumed(bytesRead, secret.ofListener(connectorNonce, nonce, proved.bytesRead(), bytesRead)))) {
                return;
            }
        }
        ended = true;
        connection.resume(channel, proved.bytesRead());
    }
}
