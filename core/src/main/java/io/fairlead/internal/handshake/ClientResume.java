package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.handshake.HandshakeMessage.Challenge;
import io.fairlead.internal.handshake.HandshakeMessage.Proof;
import io.fairlead.internal.handshake.HandshakeMessage.Refusal;
import io.fairlead.internal.handshake.HandshakeMessage.Resume;
import io.fairlead.internal.handshake.HandshakeMessage.Resumed;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** The connecting side of one attempt to resume a connection on another socket: RESUME, CHALLENGE, PROOF, RESUMED. */
public final class ClientResume implements Selectable {
    /** The connection, of which the socket is lost. */
    public interface Connection {
        /** The peer has answered: closes the old socket. Returns how far the peer's stream was read, from now on. */
        long fence();

        /**
         * Goes on over a socket, which belongs to the connection if this does not throw.
         *
         * @param peerRead how far the peer has read
         * @throws FairleadException {@code PROTOCOL_VIOLATION} if it cannot have read that
         * @throws IOException if the socket is closed
         */
        void resume(SocketChannel socket, long peerRead) throws IOException;

        /** The attempt has failed, and another one may succeed. */
        void failed(Exception cause);

        /** The peer does not have the connection any more, or breaks a rule. */
        void refused(FairleadException cause);
    }

    private final Connection connection;
    private final ResumeSecret secret;
    private final Resume resume;
    private final InetSocketAddress address;
    private final SocketChannel channel;
    private final long deadlineNs;
    private @Nullable HandshakeStream stream;
    private @Nullable Bytes32 challenge;
    private long bytesRead;
    private boolean ended;

    /** An attempt over a channel that connects. */
    ClientResume(
            Connection connection,
            ResumeSecret secret,
            long incarnation,
            InetSocketAddress address,
            SocketChannel channel,
            long deadlineNs) {
        this.connection = connection;
        this.secret = secret;
        this.resume = new Resume(incarnation, secret.name(), Bytes32.random());
        this.address = address;
        this.channel = channel;
        this.deadlineNs = deadlineNs;
    }

    /**
     * Begins an attempt.
     *
     * @param incarnation the identity of the listener's context
     * @param deadlineNs when it fails at the latest
     * @return null if there is no socket for it; the connection was told
     */
    public static @Nullable ClientResume begin(
            Connection connection,
            ResumeSecret secret,
            long incarnation,
            InetSocketAddress address,
            Selector selector,
            long deadlineNs) {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            SocketConnection.sendAtOnce(channel);
            ClientResume attempt = new ClientResume(connection, secret, incarnation, address, channel, deadlineNs);
            boolean connected = channel.connect(address);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT, attempt);
            if (connected) {
                attempt.ready(key);
            }
            return attempt;
        } catch (IOException | RuntimeException failure) {
            if (channel != null) {
                SocketConnection.close(channel);
            }
            connection.failed(failure);
            return null;
        }
    }

    /** Whether it has ended, in whatever way. */
    public boolean isOver() {
        return ended;
    }

    /** Fails at the deadline. */
    public void expireIfDue(long nowNs) {
        if (!ended && nowNs - deadlineNs > 0) {
            fail(new IOException("the peer does not answer"));
        }
    }

    /** Ends it without a word to the connection. */
    public void cancel() {
        ended = true;
        SocketConnection.close(channel);
    }

    @Override
    public void ready(SelectionKey key) {
        try {
            advance(key);
        } catch (FairleadException failure) {
            if (challenge != null && failure.reason() == Reason.PROTOCOL_VIOLATION) {
                refuse(failure);
            } else {
                fail(failure);
            }
        } catch (IOException | RuntimeException failure) {
            fail(failure);
        }
    }

    private void advance(SelectionKey key) throws IOException {
        HandshakeStream messages = stream;
        if (ended) {
            return;
        }
        if (messages == null) {
            if (!channel.finishConnect()) {
                return;
            }
            messages = new HandshakeStream(new SocketConnection(channel), key.selector());
            stream = messages;
            messages.write(resume);
        }
        if (messages.flush()) {
            HandshakeMessage message = messages.read();
            if (message != null) {
                answer(messages, message);
            } else if (messages.isTls()) {
                throw new IOException("something answers in TLS");
            }
        }
    }

    private void answer(HandshakeStream messages, HandshakeMessage message) throws IOException {
        Bytes32 challenged = challenge;
        if (message instanceof Challenge(Bytes32 nonce) && challenged == null) {
            challenge = nonce;
            bytesRead = connection.fence();
            messages.write(new Proof(bytesRead, secret.ofConnector(resume.nonce(), nonce, bytesRead)));
        } else if (message instanceof Resumed(long peerRead, Bytes32 signature) && challenged != null) {
            if (!ResumeSecret.isSame(secret.ofListener(resume.nonce(), challenged, bytesRead, peerRead), signature)) {
                throw new IOException("what answers cannot prove that it is the peer");
            }
            ended = true;
            connection.resume(channel, peerRead);
        } else if (message instanceof Refusal(Reason reason, String text)) {
            FairleadException refusal = new FairleadException(reason, text);
            if (reason == Reason.LIMIT_REACHED) {
                throw refusal;
            }
            refuse(refusal);
        } else {
            throw new IOException("unexpected message: " + message.getClass().getSimpleName());
        }
    }

    private void refuse(FairleadException cause) {
        cancel();
        connection.refused(cause);
    }

    private void fail(Exception cause) {
        cancel();
        connection.failed(cause);
    }

    @Override
    public String toString() {
        return "ClientResume[" + address + "]";
    }
}
