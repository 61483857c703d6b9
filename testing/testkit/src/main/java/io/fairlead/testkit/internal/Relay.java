package io.fairlead.testkit.internal;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
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
public final class Relay extends RelayLoop {
    /** Which way bytes go. */
    public enum Direction {
        /** From the connector to the listener. */
        TO_LISTENER,
        /** From the listener to the connector. */
        TO_CONNECTOR
    }

    private static final int HEARD_MAX = 1 << 16;

    private final List<SocketChannel> channels = new ArrayList<>();
    private final Heard connectorSaid = new Heard();
    private final Heard listenerSaid = new Heard();
    private final CountDownLatch cut = new CountDownLatch(1);
    private volatile boolean frozen;
    private volatile boolean cutting;

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

    /** Listens, and passes on to a listener. */
    public Relay(InetSocketAddress target) throws IOException {
        super(target, Duration.ofMillis(50));
        start();
    }

    /** Passes nothing on any more and reports nothing, like a network whose cable is pulled. */
    public void freeze() {
        frozen = true;
    }

    /** Resets both connections. */
    public void cut() throws InterruptedException {
        cutting = true;
        wakeUp();
        if (!cut.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("the relay does not cut");
        }
    }

    /** Says something to one side that the other never said. Only while both are quiet. */
    public void inject(Direction direction, byte[] bytes) throws IOException {
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
    public boolean heard(byte[] bytes) {
        return connectorSaid.contains(bytes) || listenerSaid.contains(bytes);
    }

    /** The first message that the connector said. */
    public byte[] firstMessage(int headerLength, int lengthField) {
        return message(Direction.TO_LISTENER, 0, headerLength, lengthField);
    }

    /** A message that was said to one side, counted from 0. */
    public byte[] message(Direction direction, int number, int headerLength, int lengthField) {
        return (direction == Direction.TO_LISTENER ? connectorSaid : listenerSaid)
                .message(number, headerLength, lengthField);
    }

    private boolean isCutting() {
        return cutting && cut.getCount() > 0;
    }

    @Override
    void endTurn() {
        if (isCutting()) {
            resetAll();
            cut.countDown();
        }
    }

    @Override
    void ready(SelectionKey key) {
        SocketChannel from = (SocketChannel) key.channel();
        SocketChannel to = (SocketChannel) key.attachment();
        if (frozen) {
            ignore(from);
            return;
        }
        try {
            pass(from, to);
        } catch (IOException e) {
            // A network passes the reset of one side on to the other.
            key.cancel();
            end(to, true);
        }
    }

    @Override
    void accepted(SocketChannel connector) throws IOException {
        SocketChannel listener = connect();
        synchronized (channels) {
            channels.add(connector);
            channels.add(listener);
        }
        read(connector, listener);
        read(listener, connector);
    }

    private void pass(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        int count = from.read(buffer);
        if (count < 0) {
            to.shutdownOutput();
            ignore(from);
            return;
        }
        buffer.flip();
        boolean fromConnector;
        synchronized (channels) {
            fromConnector = channels.getFirst().equals(from);
        }
        (fromConnector ? connectorSaid : listenerSaid).add(buffer);
        while (buffer.hasRemaining() && !isClosed() && !frozen && !isCutting()) {
            if (to.write(buffer) == 0) {
                Thread.yield();
            }
        }
    }

    @Override
    void resetAll() {
        synchronized (channels) {
            channels.forEach(channel -> end(channel, true));
            channels.clear();
        }
    }
}
