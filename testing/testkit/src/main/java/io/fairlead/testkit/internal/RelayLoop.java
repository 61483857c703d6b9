package io.fairlead.testkit.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The sockets and the thread of a network between connectors and a listener. What its thread throws fails the case that closes it. */
public abstract class RelayLoop implements AutoCloseable {
    private final Selector selector;
    private final ServerSocketChannel server;
    private final Duration turn;
    private final Thread thread;
    private volatile InetSocketAddress target;
    private volatile @Nullable Throwable failure;
    private volatile boolean closed;

    /**
     * Listens; {@link #start} begins to accept.
     *
     * @param target where connections are passed on to
     * @param turn the longest time between two calls of {@link #endTurn}
     */
    RelayLoop(InetSocketAddress target, Duration turn) throws IOException {
        this.target = target;
        this.turn = turn;
        selector = Selector.open();
        server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        thread = Thread.ofPlatform().name("relay").unstarted(this::run);
    }

    /** Starts the thread. The last act of a constructor. */
    final void start() {
        thread.start();
    }

    /** Where a connector has to go to reach the listener through this. */
    public final InetSocketAddress address() {
        try {
            return (InetSocketAddress) server.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the connections go that are made from now on. */
    public final void target(InetSocketAddress other) {
        target = other;
    }

    /** Ends the turn of the thread soon. */
    final void wakeUp() {
        selector.wakeup();
    }

    final boolean isClosed() {
        return closed;
    }

    /** Takes a connector. Calls {@link #connect} to pass it on. */
    abstract void accepted(SocketChannel connector) throws IOException;

    /** Reads what one side has said, or its end. */
    abstract void ready(SelectionKey key) throws IOException;

    /** Does what a case has asked for. */
    abstract void endTurn();

    /** Resets all connections. */
    abstract void resetAll();

    /** Connects to the listener. */
    final SocketChannel connect() throws IOException {
        return SocketChannel.open(target);
    }

    final SelectionKey read(SocketChannel channel, Object attachment) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        return channel.register(selector, SelectionKey.OP_READ, attachment);
    }

    /** Reads nothing more of a channel. */
    final void ignore(SocketChannel channel) {
        SelectionKey key = channel.keyFor(selector);
        if (key != null) {
            key.cancel();
        }
    }

    private void run() {
        try {
            while (!closed) {
                selector.select(this::dispatch, turn.toMillis());
                endTurn();
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
        }
    }

    private void dispatch(SelectionKey key) {
        // Another key of the same turn may have ended the connection.
        if (!key.isValid()) {
            return;
        }
        try {
            if (!key.isAcceptable()) {
                ready(key);
                return;
            }
            SocketChannel connector = server.accept();
            if (connector != null) {
                accepted(connector);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends a connection in order, or by a reset: lingering for no time makes the kernel reset it. */
    static void end(SocketChannel channel, boolean reset) {
        try {
            if (reset && channel.isOpen()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public final void close() {
        closed = true;
        wakeUp();
        try {
            thread.join(Duration.ofSeconds(60));
            server.close();
            resetAll();
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while closing the relay", e);
        }
        Throwable thrown = failure;
        if (thrown != null) {
            throw new AssertionError("the relay failed", thrown);
        }
    }
}
