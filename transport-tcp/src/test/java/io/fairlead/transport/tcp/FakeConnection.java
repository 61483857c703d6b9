package io.fairlead.transport.tcp;

import io.fairlead.spi.Connection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A real socket that moves only as many bytes at a time as it is told, so that frames are torn at every place. */
final class FakeConnection implements Connection {
    private final SocketChannel channel;
    /** Decides how many bytes a call moves; null for all. */
    @Nullable Random tearing;

    int tearingMax = 1;
    /** What a write fails with. */
    @Nullable IOException writeFailure;
    /** Nothing more is taken, as if the peer read nothing. */
    boolean full;

    boolean closed;

    FakeConnection(SocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return torn(target, true);
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        if (writeFailure != null) {
            throw writeFailure;
        }
        return full ? 0 : torn(source, false);
    }

    private int torn(ByteBuffer buffer, boolean reading) throws IOException {
        int limit = buffer.limit();
        if (tearing != null && buffer.remaining() > 0) {
            buffer.limit(buffer.position() + Math.min(buffer.remaining(), 1 + tearing.nextInt(tearingMax)));
        }
        try {
            return reading ? channel.read(buffer) : channel.write(buffer);
        } finally {
            buffer.limit(limit);
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int count) throws IOException {
        throw new IOException("gathering writes allocate and are not used");
    }

    @Override
    public SocketChannel channel() {
        return channel;
    }

    @Override
    public void close() {
        closed = true;
        try {
            channel.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
