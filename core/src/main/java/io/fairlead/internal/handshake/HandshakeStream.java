package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/**
 * Handshake messages over a connection. Reads exactly the bytes of one message, because later bytes belong to the next
 * owner of the connection.
 */
final class HandshakeStream {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Connection connection;
    private final Selector selector;
    private ByteBuffer incoming = ByteBuffer.allocate(HandshakeCodec.HEADER_LENGTH);
    private ByteBuffer outgoing = NOTHING;

    HandshakeStream(Connection connection, Selector selector) {
        this.connection = connection;
        this.selector = selector;
    }

    /** The next message, or null if it is incomplete, or the peer sends TLS instead. */
    @Nullable HandshakeMessage read() throws IOException {
        while (!isTls()) {
            int count = incoming.hasRemaining() ? connection.read(incoming) : 0;
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

    /** Whether the peer sends TLS instead of this protocol. */
    boolean isTls() {
        return HandshakeCodec.isTls(incoming.duplicate().flip());
    }

    /** Sends a message as far as the socket accepts it; {@link #flush()} sends the rest. */
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

    /** Whether everything written has been sent. */
    boolean isFlushed() {
        return !outgoing.hasRemaining();
    }

    /** Continues sending; true when everything is sent. Otherwise it registers for the selector's write event. */
    boolean flush() throws IOException {
        if (outgoing.hasRemaining()) {
            connection.write(outgoing);
        }
        if (outgoing.hasRemaining()) {
            connection.awaitWritable(selector);
            return false;
        }
        SelectionKey key = connection.channel().keyFor(selector);
        // A connection that is resumed has none while it is broken.
        if (key != null && key.isValid()) {
            key.interestOps(SelectionKey.OP_READ);
        }
        return true;
    }
}
