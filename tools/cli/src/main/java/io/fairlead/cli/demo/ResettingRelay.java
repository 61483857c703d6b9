package io.fairlead.cli.demo;

import io.fairlead.cli.command.CommandFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A network between the demo's processes that resets all their connections every so often. Each direction of a connection has a thread. */
final class ResettingRelay implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    /** The part of the demo's time in which it surely publishes. */
    private static final double PUBLISHING = 0.9;

    private final long intervalNs;
    private final long durationNs;
    private final Set<Line> lines = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean begun = new AtomicBoolean();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable ServerSocketChannel server;

    /** Both sockets of a connection. */
    private record Line(SocketChannel subscriber, SocketChannel publisher, AtomicInteger ends) {
        void reset() {
            ResettingRelay.reset(subscriber);
            ResettingRelay.reset(publisher);
        }
    }

    /**
     * Waits for {@link #open}.
     *
     * @param intervalSeconds how often it resets
     * @param seconds how long the demo publishes
     */
    ResettingRelay(double intervalSeconds, double seconds) {
        intervalNs = (long) (intervalSeconds * TimeUnit.SECONDS.toNanos(1));
        // The processes end then, and the last word of one that has ended is not sent again.
        durationNs = (long) (PUBLISHING * seconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** Listens for those that are passed on to a port, and returns where. */
    int open(int target) {
        InetAddress host = InetAddress.getLoopbackAddress();
        try {
            ServerSocketChannel listening = ServerSocketChannel.open().bind(new InetSocketAddress(host, 0));
            server = listening;
            Thread.startVirtualThread(() -> accept(listening, new InetSocketAddress(host, target)));
            return ((InetSocketAddress) listening.getLocalAddress()).getPort();
        } catch (IOException failure) {
            throw CommandFailure.failed("no port is free for --switch-every: " + failure.getMessage());
        }
    }

    /** Begins to reset; until then the processes connect, and what is not connected yet cannot go on over another connection. */
    void begin() {
        if (begun.compareAndSet(false, true)) {
            Thread.startVirtualThread(this::resetEverySoOften);
        }
    }

    private void resetEverySoOften() {
        try {
            long endNs = System.nanoTime() + durationNs - intervalNs;
            while (System.nanoTime() - endNs < 0 && !closed.await(intervalNs, TimeUnit.NANOSECONDS)) {
                lines.forEach(Line::reset);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept(ServerSocketChannel listening, InetSocketAddress target) {
        while (listening.isOpen()) {
            try {
                SocketChannel subscriber = listening.accept();
                try {
                    pass(subscriber, SocketChannel.open(target));
                } catch (IOException refused) {
                    reset(subscriber);
                }
            } catch (IOException ended) {
                return;
            }
        }
    }

    private void pass(SocketChannel subscriber, SocketChannel publisher) throws IOException {
        Line line = new Line(subscriber, publisher, new AtomicInteger());
        lines.add(line);
        subscriber.setOption(StandardSocketOptions.TCP_NODELAY, true);
        publisher.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Thread.startVirtualThread(() -> pass(line, subscriber, publisher));
        Thread.startVirtualThread(() -> pass(line, publisher, subscriber));
    }

    /** Passes one direction on until its end. */
    private void pass(Line line, SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        boolean otherGoesOn = false;
        try {
            while (from.read(buffer.clear()) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
            }
            to.shutdownOutput();
            otherGoesOn = line.ends.incrementAndGet() < 2;
        } catch (IOException broken) {
            line.ends.set(2);
        }
        if (!otherGoesOn) {
            lines.remove(line);
            line.reset();
        }
    }

    /** Lingering for no time makes the kernel reset a connection instead of ending it in order. */
    private static void reset(SocketChannel channel) {
        try (channel) {
            if (channel.isOpen()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
        } catch (IOException gone) {
            // It was reset by another thread.
            return;
        }
    }

    @Override
    public void close() {
        closed.countDown();
        ServerSocketChannel listening = server;
        try {
            if (listening != null) {
                listening.close();
            }
        } catch (IOException failure) {
            throw CommandFailure.failed("the relay does not close: " + failure.getMessage());
        }
        lines.forEach(Line::reset);
    }
}
