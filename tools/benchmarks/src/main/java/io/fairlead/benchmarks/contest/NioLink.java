package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Work;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A non-blocking {@link SocketChannel}, with direct buffers in which short messages are gathered and from which they are taken. */
public final class NioLink implements Link {
    /** As much is gathered before it is written, and read at once. */
    private static final int BUFFER = 64 << 10;

    private final @Nullable ServerSocketChannel listener;
    private @Nullable SocketChannel channel;
    private final Selector selector;
    private ByteBuffer outgoing = ByteBuffer.allocateDirect(0);
    private ByteBuffer inbox = ByteBuffer.allocateDirect(0);
    private MemorySegment gathered = MemorySegment.NULL;
    private MemorySegment arrived = MemorySegment.NULL;
    private int size;
    private long expected;

    /** Listens, or connects to a port. */
    public NioLink(Optional<String> address) throws IOException {
        selector = Selector.open();
        if (address.isPresent()) {
            listener = null;
            connected(SocketChannel.open(FairleadPeer.loopback(address.get())));
        } else {
            listener = ServerSocketChannel.open().bind(FairleadPeer.loopback(0));
        }
    }

    private void connected(SocketChannel made) throws IOException {
        made.setOption(StandardSocketOptions.TCP_NODELAY, true);
        made.configureBlocking(false);
        made.register(selector, SelectionKey.OP_READ);
        channel = made;
    }

    @Override
    public String address() {
        return listener == null ? "" : String.valueOf(listener.socket().getLocalPort());
    }

    @Override
    public void awaitPeer() {
        try (ServerSocketChannel accepting = listener) {
            if (accepting != null) {
                connected(accepting.accept());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private SocketChannel channel() {
        if (channel == null) {
            throw new IllegalStateException("nobody has connected");
        }
        return channel;
    }

    @Override
    public void begin(Work work, int sends, int receives, int inFlight) {
        size = work.size();
        expected = 0;
        // Whole messages, of which one may be here in part.
        int capacity = Math.max(1, BUFFER / size) * size;
        outgoing = ByteBuffer.allocateDirect(capacity);
        inbox = ByteBuffer.allocateDirect(capacity);
        gathered = MemorySegment.ofBuffer(outgoing);
        arrived = MemorySegment.ofBuffer(inbox);
    }

    @Override
    public void send(long number) {
        Payload.write(gathered, outgoing.position(), size, number);
        outgoing.position(outgoing.position() + size);
        if (!outgoing.hasRemaining()) {
            flush();
        }
    }

    @Override
    public void flush() {
        outgoing.flip();
        SocketChannel to = channel();
        try {
            while (outgoing.hasRemaining()) {
                if (to.write(outgoing) == 0) {
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
            if (channel().read(inbox) < 0) {
                throw new EOFException("the other process closed the connection");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        int whole = inbox.position() / size;
        for (int i = 0; i < whole; i++) {
            Payload.check(arrived, (long) i * size, size, expected);
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
            channel().close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
