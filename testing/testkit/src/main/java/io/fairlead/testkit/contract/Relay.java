package io.fairlead.testkit.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A network between a connector and a listener that a case can disturb: it passes bytes on until the case freezes it, cuts it, or injects
 * bytes. Has a thread of its own.
 */
final class Relay implements AutoCloseable {
    /** Which way bytes go. */
    enum Direction {
        /** From the connector to the listener. */
        TO_LISTENER,
        /** From the listener to the connector. */
        TO_CONNECTOR
    }

    private static final int HEARD_MAX = 1 << 16;

    private final Selector selector;
    private final ServerSocketChannel server;
    private final InetSocketAddress target;
    private final Thread thread;
    private final List<SocketChannel> channels = new ArrayList<>();
    private final Heard connectorSaid = new Heard();
    private final Heard listenerSaid = new Heard();
    private final CountDownLatch cut = new CountDownLatch(1);
    private volatile boolean frozen;
    private volatile boolean cutting;
    private volatile boolean closed;

    /** The beginning of what one side has said. */
    private static final class Heard {
        private final byte[] bytes = new byte[HEARD_MAX];
        private int length;

        synchronized boolean contains(byte[] wanted) {
            for (int at = 0; at + wanted.length <= length; at++) {
                if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                    return true;
                }
            }
            return false;
        }

        synchronized void add(ByteBuffer buffer) {
            int count = Math.min(buffer.remaining(), bytes.length - length);
            buffer.get(buffer.position(), bytes, length, count);
            length += count;
        }

        synchronized byte[] message(int number, int headerLength, int lengthField) {
            ByteBuffer all = ByteBuffer.wrap(bytes, 0, length).order(ByteOrder.LITTLE_ENDIAN);
            int begin = 0;
            for (int i = 0; ; i++) {
                if (length - begin < headerLength) {
                    throw new AssertionError("the relay has heard only " + length + " bytes");
                }
                int end = begin + headerLength + all.getInt(begin + lengthField);
                if (length < end) {
                    throw new AssertionError("the relay has heard only " + length + " bytes");
                }
                if (i == number) {
                    return Arrays.copyOfRange(bytes, begin, end);
                }
                begin = end;
            }
        }
    }

    Relay(InetSocketAddress target) throws IOException {
        this.target = target;
        selector = Selector.open();
        server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
        thread = Thread.ofPlatform().name("relay").start(this::run);
    }

    /** Where a connector has to go to reach the listener through this. */
    InetSocketAddress address() {
        try {
            return (InetSocketAddress) server.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Passes nothing on any more and reports nothing, like a network whose cable is pulled. */
    void freeze() {
        frozen = true;
    }

    /** Resets both connections. */
    void cut() throws InterruptedException {
        cutting = true;
        selector.wakeup();
        if (!cut.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the relay does not cut");
        }
    }

    /** Says something to one side that the other never said. Only while both are quiet. */
    void inject(Direction direction, byte[] bytes) throws IOException {
        freeze();
        ByteBuffer source = ByteBuffer.wrap(bytes);
        SocketChannel channel;
        synchronized (channels) {
            channel = channels.get(direction == Direction.TO_CONNECTOR ? 0 : 1);
        }
        while (source.hasRemaining()) {
            channel.write(source);
        }
    }

    /** Whether either side has said some bytes in a row, as far as was kept. */
    boolean heard(byte[] bytes) {
        return connectorSaid.contains(bytes) || listenerSaid.contains(bytes);
    }

    /** The first message that the connector said. */
    byte[] firstMessage(int headerLength, int lengthField) {
        return message(Direction.TO_LISTENER, 0, headerLength, lengthField);
    }

    /** A message that was said to one side, counted from 0. */
    byte[] message(Direction direction, int number, int headerLength, int lengthField) {
        return (direction == Direction.TO_LISTENER ? connectorSaid : listenerSaid)
                .message(number, headerLength, lengthField);
    }

    private void run() {
        try {
            while (!closed) {
                selector.select(this::ready, Duration.ofMillis(50).toMillis());
                if (cutting && cut.getCount() > 0) {
                    closeChannels();
                    cut.countDown();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void ready(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else if (key.isValid() && key.isReadable() && !frozen) {
                pass((SocketChannel) key.channel(), (SocketChannel) key.attachment());
            } else if (frozen) {
                key.interestOps(0);
            }
        } catch (IOException e) {
            // A network passes the reset of one side on to the other.
            key.cancel();
            reset((SocketChannel) key.attachment());
        }
    }

    private void accept() throws IOException {
        SocketChannel connector = server.accept();
        if (connector == null) {
            return;
        }
        SocketChannel listener = SocketChannel.open(target);
        synchronized (channels) {
            channels.add(connector);
            channels.add(listener);
        }
        for (SocketChannel channel : List.of(connector, listener)) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        connector.register(selector, SelectionKey.OP_READ, listener);
        listener.register(selector, SelectionKey.OP_READ, connector);
    }

    private void pass(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        int count = from.read(buffer);
        if (count < 0) {
            to.shutdownOutput();
            from.keyFor(selector).cancel();
            return;
        }
        buffer.flip();
        boolean fromConnector;
        synchronized (channels) {
            fromConnector = channels.getFirst().equals(from);
        }
        (fromConnector ? connectorSaid : listenerSaid).add(buffer);
        while (buffer.hasRemaining() && !closed && !frozen) {
            to.write(buffer);
        }
    }

    private void closeChannels() {
        synchronized (channels) {
            channels.forEach(Relay::reset);
            channels.clear();
        }
    }

    /** Lingering for no time makes the kernel reset the connection instead of ending it in order. */
    private static void reset(SocketChannel channel) {
        try {
            if (channel.isOpen()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
                channel.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        try {
            thread.join(Duration.ofSeconds(60));
            server.close();
            closeChannels();
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while closing the relay", e);
        }
    }
}
