package io.fairlead.spi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The byte stream of an endpoint's control channel: a non-blocking socket, under the protection that the handshake agreed on. Belongs to the
 * worker's thread.
 */
public interface Connection extends AutoCloseable {
    /**
     * Reads the bytes that have arrived, without waiting. A read that fills its target may leave bytes {@linkplain #hasBuffered() behind}; one that
     * does not has left what remains to the selector.
     *
     * @param target where to put them; as many as it has room for are read
     * @return bytes read, 0 if there are none now, -1 at the end of the stream
     * @throws IOException if the connection is broken
     */
    int read(ByteBuffer target) throws IOException;

    /**
     * Writes as many bytes as fit, without waiting. The bytes that were not taken have to be offered again, and first: protection may have used some of
     * them already.
     *
     * @param source the bytes to write
     * @return bytes taken, 0 if there is no room now
     * @throws IOException if the connection is broken
     */
    int write(ByteBuffer source) throws IOException;

    /**
     * Writes as many bytes of several buffers as fit, without waiting.
     *
     * @param sources the buffers
     * @param offset the index of the first buffer to write
     * @param count how many buffers to write
     * @return bytes taken, 0 if there is no room now
     * @throws IOException if the connection is broken
     */
    long write(ByteBuffer[] sources, int offset, int count) throws IOException;

    /**
     * Whether a read would bring bytes that the selector does not tell of, because they have left the socket already.
     *
     * @return false unless overridden
     */
    default boolean hasBuffered() {
        return false;
    }

    /**
     * The socket of the connection, to be registered with the worker's selector and for its options. It must not be read or written directly,
     * which would bypass the protection.
     *
     * @return the socket, non-blocking
     */
    SocketChannel channel();

    /**
     * Ends the holder's use of the connection, which must not be read or written afterwards. The core closes the socket; after a graceful close
     * it does so when the peer has taken what was written, or {@code close.timeout} is over. Idempotent, and never throws.
     */
    @Override
    void close();
}
