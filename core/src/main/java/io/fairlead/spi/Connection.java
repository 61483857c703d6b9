package io.fairlead.spi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * The byte stream of an endpoint's control channel: a socket, with whatever protection the handshake agreed on already in place.
 * Non-blocking. Belongs to the worker's thread.
 */
public interface Connection extends AutoCloseable {
    /**
     * Reads what is there.
     *
     * @param target where to put it
     * @return bytes read, 0 if there are none now, -1 at the end of the stream
     * @throws IOException if the connection is broken
     */
    int read(ByteBuffer target) throws IOException;

    /**
     * Writes what fits.
     *
     * @param source what to write
     * @return bytes taken
     * @throws IOException if the connection is broken
     */
    int write(ByteBuffer source) throws IOException;

    /**
     * Writes what fits of several buffers.
     *
     * @param sources what to write
     * @param offset the first buffer
     * @param count how many buffers
     * @return bytes taken
     * @throws IOException if the connection is broken
     */
    long write(ByteBuffer[] sources, int offset, int count) throws IOException;

    /**
     * The socket below, for registering with the worker's selector and for its options; reading or writing it directly would bypass the
     * protection.
     *
     * @return non-blocking
     */
    SocketChannel channel();

    /**
     * Ends the use of the connection: nothing is read or written by its holder any more. The core closes the socket, behind a graceful
     * close not before the peer has taken what was written. Idempotent, and never throws.
     */
    @Override
    void close();
}
