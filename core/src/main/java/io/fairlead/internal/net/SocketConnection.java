package io.fairlead.internal.net;

import io.fairlead.spi.Connection;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A plain socket. */
public final class SocketConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);

    private final SocketChannel channel;
    /** Where the socket goes when its user closes it; null closes it. */
    private @Nullable Consumer<SocketChannel> linger;

    public SocketConnection(SocketChannel channel) {
        this.channel = channel;
    }

    /**
     * Lets small writes leave although earlier ones are not acknowledged yet. Without this the second of two grants of credits waits for the
     * peer's delayed acknowledgement, which is 40 ms in which a sender stands still.
     */
    public static void sendAtOnce(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return channel.read(target);
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

    /** The close to come is a graceful one: the peer is to get what was written. */
    public void lingerAt(Consumer<SocketChannel> sockets) {
        linger = sockets;
    }

    @Override
    public void close() {
        Consumer<SocketChannel> taker = linger;
        if (taker != null) {
            linger = null;
            taker.accept(channel);
            return;
        }
        try {
            channel.close();
        } catch (IOException failure) {
            LOG.debug("closing a socket failed", failure);
        }
    }
}
