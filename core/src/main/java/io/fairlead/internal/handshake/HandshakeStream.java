package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.net.SocketConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Handshake messages over a non-blocking socket. Reads exactly the bytes of one message and none behind it, because those
 * belong to whoever owns the connection afterwards.
 */
final class HandshakeStream {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    private final SelectionKey key;
    private ByteBuffer incoming = ByteBuffer.allocate(HandshakeCodec.HEADER_LENGTH);
    private ByteBuffer outgoing = NOTHING;

    HandshakeStream(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    /** The next message, or null if it is not all here. */
    @Nullable HandshakeMessage read() throws IOException {
        while (true) {
            int count = incoming.hasRemaining() ? channel.read(incoming) : 0;
            if (count < 0) {
                throw new FairleadException(
                        Reason.PEER_LOST,
                        "peer closed the connection during the handshake: peer="
                                + channel.socket().getRemoteSocketAddress());
            }
            ByteBuffer seen = incoming.duplicate().flip();
            int length = HandshakeCodec.frameLength(seen);
            if (length >= 0 && seen.remaining() == length) {
                incoming = ByteBuffer.allocate(HandshakeCodec.HEADER_LENGTH);
                return HandshakeCodec.decode(seen);
            }
            if (length > incoming.capacity()) {
                incoming = ByteBuffer.allocate(length).put(seen);
            } else if (count == 0) {
                return null;
            }
        }
    }

    /** Sends a message as far as the socket takes it; {@link #flush()} sends the rest. */
    boolean write(HandshakeMessage message) throws IOException {
        outgoing = HandshakeCodec.encode(message);
        return flush();
    }

    /** Goes on sending; true when all is sent. Asks the selector to come back while it is not. */
    boolean flush() throws IOException {
        if (outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
        boolean done = !outgoing.hasRemaining();
        key.interestOps(done ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        return done;
    }

    void close() {
        new SocketConnection(channel).close();
    }
}
