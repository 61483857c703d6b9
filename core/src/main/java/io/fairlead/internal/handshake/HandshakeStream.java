package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * Handshake messages over a connection. Reads exactly the bytes of one message and none behind it, because those belong to whoever owns the
 * connection afterwards.
 */
final class HandshakeStream {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Connection connection;
    private final SelectionKey key;
    /** What has come before this stream was made. */
    private final ByteBuffer received;

    private ByteBuffer incoming = ByteBuffer.allocate(HandshakeCodec.HEADER_LENGTH);
    private ByteBuffer outgoing = NOTHING;

    HandshakeStream(Connection connection, SelectionKey key) {
        this(connection, key, NOTHING);
    }

    HandshakeStream(Connection connection, SelectionKey key, ByteBuffer received) {
        this.connection = connection;
        this.key = key;
        this.received = received;
    }

    /** The next message, or null if it is not all here, or TLS comes instead. */
    @Nullable HandshakeMessage read() throws IOException {
        while (!isTls()) {
            int count = incoming.hasRemaining() ? readMore() : 0;
            if (count < 0) {
                throw new FairleadException(Reason.PEER_LOST, "the connection ended before the handshake did");
            }
            if (isTls()) {
                return null;
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
        return null;
    }

    private int readMore() throws IOException {
        if (!received.hasRemaining()) {
            return connection.read(incoming);
        }
        int count = Math.min(received.remaining(), incoming.remaining());
        incoming.put(received.slice(received.position(), count));
        received.position(received.position() + count);
        return count;
    }

    /** Whether the peer speaks TLS instead of this protocol. */
    boolean isTls() {
        return HandshakeCodec.isTls(incoming.duplicate().flip());
    }

    /** Sends a message as far as the socket takes it; {@link #flush()} sends the rest. */
    boolean write(HandshakeMessage message) throws IOException {
        ByteBuffer encoded = HandshakeCodec.encode(message);
        outgoing = outgoing.hasRemaining()
                ? ByteBuffer.allocate(outgoing.remaining() + encoded.remaining())
                        .put(outgoing)
                        .put(encoded)
                        .flip()
                : encoded;
        return flush();
    }

    /** Whether all that was written has been sent. */
    boolean isFlushed() {
        return !outgoing.hasRemaining();
    }

    /** Goes on sending; true when all is sent. Asks the selector to come back while it is not. */
    boolean flush() throws IOException {
        if (outgoing.hasRemaining()) {
            connection.write(outgoing);
        }
        boolean done = !outgoing.hasRemaining();
        key.interestOps(done ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        return done;
    }
}
