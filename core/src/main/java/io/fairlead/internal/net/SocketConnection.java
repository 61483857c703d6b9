package io.fairlead.internal.net;

import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A plain socket. */
public final class SocketConnection implements LingeringConnection {
    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final SocketChannel channel;
    /** What was read and is read again. */
    private ByteBuffer first = NOTHING;
    /** The key of a selector that no longer reads it. */
    private @Nullable SelectionKey left;
    /** Receives the socket when its user closes it; null to close it directly. */
    private @Nullable Consumer<LingeringConnection> linger;

    public SocketConnection(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Sends small writes although earlier ones are unacknowledged. Otherwise the second of two credit grants waits for
     * the peer's delayed acknowledgement, and the sender stalls for 40 ms.
     */
    public static void sendAtOnce(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /**
     * Registers it for reading.
     *
     * @param user what the selector calls
     * @throws IOException if the socket is closed
     */
    public SelectionKey register(Selector selector, Selectable user) throws IOException {
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ, user);
        SelectionKey before = left;
        if (before != null && !before.equals(key)) {
            before.cancel();
        }
        left = null;
        return key;
    }

    /**
     * Leaves the socket to the worker that registers it next.
     *
     * @param key the key of the worker that leaves it
     */
    public void leave(SelectionKey key) {
        key.interestOps(0);
        left = key;
    }

    /**
     * Takes back bytes that were read: reads return them again, before those that arrive.
     *
     * @param read from position to limit; belongs to the connection from now on
     */
    public void takeBack(ByteBuffer read) {
        first = read;
    }

    /** Closes a connection, or lets it linger if that was requested. Never throws. */
    public static void hangUp(LingeringConnection connection) {
        try {
            connection.close();
        } catch (Throwable thrown) {
            LOG.debug("hanging up failed", thrown);
            close(connection.channel());
        }
    }

    /** Closes a socket, and ignores failures. */
    public static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException failure) {
            LOG.debug("closing a socket failed", failure);
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!first.hasRemaining()) {
            return channel.read(target);
        }
        int count = Math.min(first.remaining(), target.remaining());
        target.put(first.slice(first.position(), count));
        first.position(first.position() + count);
        return count;
    }

    @Override
    public boolean hasBuffered() {
        return first.hasRemaining();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return channel.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int count) throws IOException {
        return channel.write(sources, offset, count);
    }

    @Override
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public void lingerAt(Consumer<LingeringConnection> taker) {
        linger = taker;
    }

    @Override
    public boolean tryEndOutput() throws IOException {
        channel.shutdownOutput();
        return true;
    }

    @Override
    public int discard(ByteBuffer target) throws IOException {
        return channel.read(target);
    }

    @Override
    public boolean mayLinger(Selector selector) {
        SelectionKey key = channel.keyFor(selector);
        return key != null && key.isValid();
    }

    @Override
    public LingeringConnection outlive(LingeringConnection stream, Consumer<ByteBuffer> received) {
        return stream;
    }

    @Override
    public void close() {
        Consumer<LingeringConnection> taker = linger;
        if (taker != null) {
            linger = null;
            taker.accept(this);
        } else {
            closeSocket();
        }
    }

    @Override
    public void closeSocket() {
        close(channel);
    }
}
