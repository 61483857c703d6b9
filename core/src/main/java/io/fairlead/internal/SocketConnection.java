package io.fairlead.internal;

import io.fairlead.spi.Connection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A plain socket. */
final class SocketConnection implements Connection {
    private static final Logger LOG = LoggerFactory.getLogger(SocketConnection.class);

    private final SocketChannel channel;

    SocketConnection(SocketChannel channel) {
        this.channel = channel;
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

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException failure) {
            LOG.debug("closing a socket failed", failure);
        }
    }
}
