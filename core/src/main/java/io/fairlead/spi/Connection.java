package io.fairlead.spi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * The byte stream of an endpoint's control channel: a non-blocking socket with the protection that the handshake
 * negotiated. Belongs to the worker's thread.
 */
public interface Connection extends AutoCloseable {
    /**
     * Reads the bytes that have arrived, without waiting. After a read that fills its target there may be more
     * {@linkplain #hasBuffered() buffered} bytes. After any other read the selector signals the remaining bytes.
     *
     * @param target where to put the bytes; at most its remaining capacity is read
     * @return bytes read, 0 if there are none now, -1 at the end of the stream
     * @throws IOException if the connection is broken
     */
    int read(ByteBuffer target) throws IOException;

    /**
     * Writes as many bytes as possible, without waiting. Bytes that were not written must be passed again, and first:
     * protection may have processed some of them already.
     *
     * @param source the bytes to write
     * @return bytes written, 0 if the socket is not writable now
     * @throws IOException if the connection is broken
     */
    int write(ByteBuffer source) throws IOException;

    /**
     * Writes as many bytes of several buffers as possible, without waiting.
     *
     * @param sources the buffers
     * @param offset the index of the first buffer to write
     * @param count how many buffers to write
     * @return bytes written, 0 if the socket is not writable now
     * @throws IOException if the connection is broken
     */
    long write(ByteBuffer[] sources, int offset, int count) throws IOException;

    /**
     * Whether a read would return bytes that the selector does not signal, because they were read from the socket
     * already.
     *
     * @return false unless overridden
     */
    default boolean hasBuffered() {
        return false;
    }

    /**
     * Whether what was written will arrive if the connection does not break: the operating system has it. If the
     * connection is resumed when it breaks, the peer has it.
     *
     * @return true unless overridden
     */
    default boolean isDelivered() {
        return true;
    }

    /**
     * The socket of the connection, for its options and for registration with the worker's selector. Reading or writing
     * it directly is forbidden, because that would bypass the protection. It may be another socket at the next call, so
     * it is not to be kept.
     *
     * @return the socket, non-blocking
     */
    SocketChannel channel();

    /**
     * Passes what the selector signals to a user, from now on: that the connection is readable, and, after
     * {@link #awaitWritable}, writable.
     *
     * @param selector the worker's selector
     * @param user replaces the one before
     * @throws IOException if the connection is closed
     */
    default void serve(Selector selector, Selectable user) throws IOException {
        SelectionKey key = channel().keyFor(selector);
        if (key == null) {
            channel().register(selector, SelectionKey.OP_READ, user);
        } else {
            key.attach(user);
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /**
     * Requests that the selector also signals once the connection takes more bytes. The user ends that itself, by the
     * interest of the key that it receives.
     *
     * @param selector the worker's selector, to which {@link #serve} was called
     */
    default void awaitWritable(Selector selector) {
        SelectionKey key = channel().keyFor(selector);
        if (key != null) {
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        }
    }

    /**
     * Ends the holder's use of the connection, which must not be read or written afterwards. The core closes the
     * socket. After a graceful close it first waits until the peer has received what was written, for at most
     * {@code close.timeout}. Idempotent, and never throws.
     */
    @Override
    void close();
}
