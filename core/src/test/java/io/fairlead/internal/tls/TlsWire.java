package io.fairlead.internal.tls;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.internal.net.SocketConnection;
import io.fairlead.spi.security.ConnectionSecurity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Two sides of TLS and the wire between them, all on the thread of the test, which decides what passes and how much of it at a time. */
final class TlsWire implements AutoCloseable {
    private static final long DEADLINE_NS = 60_000_000_000L;

    /** One end. */
    static final class Side {
        final TlsHandshake handshake;
        final SelectionKey key;
        final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        final SocketChannel own;
        /** The other end of its socket, which is the wire's. */
        final SocketChannel wire;

        private final TlsEngine engine;
        private TlsHandshake.Step step = TlsHandshake.Step.WAITING;

        private Side(ConnectionSecurity keys, boolean connector, Selector selector, ServerSocketChannel server)
                throws IOException {
            own = SocketChannel.open();
            // Less than a record, so that most of them leave in parts.
            own.setOption(StandardSocketOptions.SO_SNDBUF, 4096);
            own.connect(server.getLocalAddress());
            wire = server.accept();
            own.configureBlocking(false);
            wire.configureBlocking(false);
            key = own.register(selector, SelectionKey.OP_READ);
            engine = new TlsEngine(
                    connector ? keys.connector("localhost", 1) : keys.listener(),
                    new SocketConnection(own),
                    "localhost:1");
            handshake = new TlsHandshake(
                    engine,
                    key,
                    (task, then) -> tasks.add(() -> {
                        task.run();
                        then.run();
                    }),
                    () -> {});
        }

        TlsConnection connection() {
            return handshake.connection();
        }

        boolean isDone() {
            return step == TlsHandshake.Step.DONE;
        }

        /** Goes on, as the selector or a task would have it do. */
        TlsHandshake.Step advance() throws IOException {
            if (!isDone()) {
                step = handshake.advance();
            }
            return step;
        }

        void runTasks() {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }

        /** Asks the peer for new keys, with the next write. */
        void beginKeyUpdate() throws IOException {
            engine.engine().beginHandshake();
        }

        /** Asks the peer for new keys at once, with no data behind. */
        void writeNewKeys() throws IOException {
            engine.engine().beginHandshake();
            assertTrue(engine.wrap().bytesProduced() > 0);
            if (!engine.flush()) {
                fail("the socket does not take a short record");
            }
        }

        void write(byte[] bytes) throws IOException {
            ByteBuffer source = ByteBuffer.wrap(bytes);
            connection().write(source);
            if (source.hasRemaining()) {
                fail("the socket does not take " + bytes.length + " bytes at once");
            }
        }
    }

    final Side connector;
    final Side listener;
    private final Selector selector;
    private final ServerSocketChannel server;
    private final List<SocketChannel> sockets = new ArrayList<>();
    private final ByteBuffer passing;

    /** The wire passes up to so many bytes at a time. */
    TlsWire(ConnectionSecurity connectorKeys, ConnectionSecurity listenerKeys, int chunk) throws IOException {
        selector = Selector.open();
        server = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        connector = new Side(connectorKeys, true, selector, server);
        listener = new Side(listenerKeys, false, selector, server);
        sockets.addAll(List.of(connector.own, connector.wire, listener.own, listener.wire));
        passing = ByteBuffer.allocate(chunk);
    }

    /** Both sides finish their handshakes. */
    static TlsWire connected(ConnectionSecurity connectorKeys, ConnectionSecurity listenerKeys) throws IOException {
        TlsWire wire = new TlsWire(connectorKeys, listenerKeys, 1 << 16);
        wire.finish();
        return wire;
    }

    void finish() throws IOException {
        await(() -> {
            try {
                connector.advance();
                listener.advance();
            } catch (IOException broken) {
                throw new AssertionError(broken);
            }
            return connector.isDone() && listener.isDone();
        });
    }

    /** Passes bytes and runs tasks until something is so. */
    void await(BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean()) {
            pass();
            connector.runTasks();
            listener.runTasks();
            if (System.nanoTime() - deadline > 0) {
                fail("it never happened");
            }
        }
    }

    /** Passes what is there, one chunk each way. */
    void pass() throws IOException {
        pass(connector.wire, listener.wire);
        pass(listener.wire, connector.wire);
    }

    private void pass(SocketChannel from, SocketChannel to) throws IOException {
        if (from.isOpen() && to.isOpen()) {
            from.read(passing.clear());
            inject(to, passing.flip());
        }
    }

    /** Says something that no side has said. */
    static void inject(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /** Reads all that the other side has sent, up to so many bytes. */
    byte[] read(Side side, int count) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(count);
        await(() -> !target.hasRemaining() || tryRead(side, target) < 0);
        return java.util.Arrays.copyOf(target.array(), target.position());
    }

    static int tryRead(Side side, ByteBuffer target) {
        try {
            return side.connection().read(target);
        } catch (IOException broken) {
            throw new AssertionError(broken);
        }
    }

    /** What reading throws, once it does. */
    Exception failureOf(Side side) throws IOException {
        @Nullable Exception[] failure = new Exception[1];
        ByteBuffer target = ByteBuffer.allocate(1 << 16);
        await(() -> {
            try {
                if (side.connection().read(target.clear()) < 0) {
                    fail("the stream has ended well");
                }
            } catch (Exception thrown) {
                failure[0] = thrown;
            }
            return failure[0] != null;
        });
        Exception thrown = failure[0];
        if (thrown == null) {
            throw new AssertionError("nothing was thrown");
        }
        return thrown;
    }

    @Override
    public void close() throws IOException {
        connector.connection().closeSocket();
        listener.connection().closeSocket();
        for (SocketChannel socket : sockets) {
            socket.close();
        }
        server.close();
        selector.close();
    }
}
