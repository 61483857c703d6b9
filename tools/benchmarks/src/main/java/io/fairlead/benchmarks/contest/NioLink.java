package io.fairlead.benchmarks.contest;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A non-blocking {@link SocketChannel}, with direct buffers in which short messages are gathered and from which they are taken. */
final class NioLink implements Link {
    /** As much is gathered before it is written, and read at once. */
    private static final int BUFFER = 64 << 10;

    private final SocketChannel channel;
    private final Selector selector;
    private ByteBuffer outgoing = ByteBuffer.allocateDirect(0);
    private ByteBuffer inbox = ByteBuffer.allocateDirect(0);
    private int size;
    private long expected;

    private NioLink(SocketChannel channel) throws IOException {
        this.channel = channel;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
    }

    static NioLink listen(Address address) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(FairleadPeer.loopback(0))) {
            address.tell(listener.socket().getLocalPort());
            return new NioLink(listener.accept());
        }
    }

    static NioLink connect(int port) throws IOException {
        return new NioLink(SocketChannel.open(FairleadPeer.loopback(port)));
    }

    @Override
    public void begin(int bytes, int sends, int receives, int inFlight) {
        size = bytes;
        expected = 0;
        // Whole messages, of which one may be here in part.
        int capacity = Math.max(1, BUFFER / bytes) * bytes;
        outgoing = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
        inbox = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
    }

    @Override
    public void send(long number) {
        Payload.write(outgoing, outgoing.position(), size, number);
        outgoing.position(outgoing.position() + size);
        if (!outgoing.hasRemaining()) {
            flush();
        }
    }

    @Override
    public void flush() {
        outgoing.flip();
        try {
            while (outgoing.hasRemaining()) {
                if (channel.write(outgoing) == 0) {
                    Thread.onSpinWait();
                }
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        outgoing.clear();
    }

    @Override
    public int poll() {
        try {
            if (channel.read(inbox) < 0) {
                throw new EOFException("the other process closed the connection");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        int whole = inbox.position() / size;
        for (int i = 0; i < whole; i++) {
            Payload.check(inbox, i * size, size, expected);
            expected++;
        }
        if (whole > 0) {
            inbox.flip().position(whole * size);
            inbox.compact();
        }
        return whole;
    }

    @Override
    public void await() {
        try {
            selector.select(key -> {});
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        try {
            selector.close();
            channel.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
