package io.fairlead.benchmarks;

import io.fairlead.cli.measure.PingPong;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The reference: a non-blocking {@link SocketChannel} and a direct buffer, read and written in a loop until all is through. */
final class RawPingPong implements PingPong {
    private final SocketChannel channel;
    private final ByteBuffer buffer;

    RawPingPong(SocketChannel channel, int size) {
        this.channel = channel;
        this.buffer = ByteBuffer.allocateDirect(size);
    }

    static SocketChannel prepare(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        return channel;
    }

    @Override
    public void ask() {
        try {
            write();
            read();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void answer() {
        try {
            read();
            write();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void write() throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private void read() throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("the other process closed the connection");
            }
        }
    }

    /** What is written has left. */
    @Override
    public void settle() {}

    /** The channel outlives the exchange. */
    @Override
    public void close() {}
}
