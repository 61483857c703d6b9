package io.fairlead.testkit.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A network that breaks each connection after a random number of bytes or a random time, in one of several ways, as long as it is told to. Passes on
 * any number of connections. Has a thread of its own.
 */
public final class CuttingRelay extends RelayLoop {
    /** How a connection breaks. */
    public enum Cut {
        /** Both sides see a reset. */
        RESET,
        /** Both sides see an end, in the middle of what was said. */
        END,
        /** One side sees a reset, and the other nothing. */
        HALF,
        /** Neither side sees anything, and nothing is passed on. */
        FREEZE
    }

    /** So many frozen connections stay open; their sides have given up the older ones. */
    private static final int FROZEN_MAX = 4;

    private static final int SAID_MAX = 512;
    /** The longest life of a connection. */
    private static final long LIFE_MAX_NS = Duration.ofMillis(20).toNanos();
    /** About what both sides say until a connection is resumed. */
    private static final long RESUMED_BYTES = 200;
    /** A life doubles so often at most. */
    private static final int PATIENCE_MAX = 6;

    /** A connection, and when it breaks. */
    private static final class Line {
        final SocketChannel connector;
        final SocketChannel listener;
        final Cut cut;
        final long cutNs;
        long bytesLeft;
        long passed;
        boolean frozen;
        int ends;

        Line(SocketChannel connector, SocketChannel listener, Cut cut, long bytesLeft, long cutNs) {
            this.connector = connector;
            this.listener = listener;
            this.cut = cut;
            this.bytesLeft = bytesLeft;
            this.cutNs = cutNs;
        }

        SocketChannel other(SocketChannel channel) {
            return channel.equals(connector) ? listener : connector;
        }
    }

    private final Random random;
    private final List<Line> lines = new ArrayList<>();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();
    private volatile List<Cut> cuts = List.of();
    private volatile boolean passing = true;
    private volatile boolean breaking;
    private @Nullable Line speaking;
    /** Connections in a row that broke before both sides can have resumed: on a busy machine they need longer. */
    private int hasty;

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger accepted = new AtomicInteger();

    /** Listens, and passes on to a listener. The seed decides when and how connections break. */
    public CuttingRelay(InetSocketAddress target, long seed) throws IOException {
        super(target, Duration.ofMillis(1));
        this.random = new Random(seed);
        start();
    }

    /** Resets all connections now, and breaks those that are made from now on in one of these ways; in none of them, not at all. */
    public void cut(List<Cut> ways) {
        cuts = ways;
        breaking = true;
        wakeUp();
    }

    /** Breaks none of the connections that are made from now on. */
    public void spare() {
        cuts = List.of();
    }

    /** What the connector of the last connection has said first, as far as was kept. */
    public byte[] lastSaid() {
        synchronized (said) {
            return said.toByteArray();
        }
    }

    /** Whether connections are made at all. Those that exist are reset when none are. */
    public void pass(boolean passes) {
        passing = passes;
        wakeUp();
    }

    /** How many connections were broken. */
    public int count() {
        return count.get();
    }

    /** How many connections were made. */
    public int accepted() {
        return accepted.get();
    }

    @Override
    void endTurn() {
        long nowNs = System.nanoTime();
        boolean all = breaking || !passing;
        if (all) {
            breaking = false;
        }
        for (Line line : List.copyOf(lines)) {
            if (all || (!line.frozen && line.cutNs - nowNs < 0)) {
                cut(line, all ? Cut.RESET : line.cut);
            }
        }
    }

    @Override
    void ready(SelectionKey key) {
        pass((SocketChannel) key.channel(), (Line) key.attachment());
    }

    @Override
    void accepted(SocketChannel connector) throws IOException {
        if (breaking) {
            // Those before this one were to be reset, and not this one.
            endTurn();
        }
        accepted.incrementAndGet();
        if (!passing) {
            end(connector, true);
            return;
        }
        SocketChannel listener;
        try {
            listener = connect();
        } catch (IOException refused) {
            end(connector, true);
            return;
        }
        List<Cut> ways = cuts;
        Line line = ways.isEmpty()
                ? new Line(
                        connector,
                        listener,
                        Cut.RESET,
                        Long.MAX_VALUE,
                        System.nanoTime() + Duration.ofDays(1).toNanos())
                : new Line(
                        connector,
                        listener,
                        ways.get(random.nextInt(ways.size())),
                        random.nextInt(4) == 0 ? random.nextInt(300) : random.nextInt(2_000_000),
                        System.nanoTime() + random.nextLong(LIFE_MAX_NS << Math.min(PATIENCE_MAX, hasty)));
        lines.add(line);
        read(connector, line);
        read(listener, line);
    }

    private void pass(SocketChannel from, Line line) {
        if (line.frozen) {
            ignore(from);
            return;
        }
        buffer.clear().limit((int) Math.min(buffer.capacity(), line.bytesLeft));
        SocketChannel to = line.other(from);
        try {
            int read = buffer.hasRemaining() ? from.read(buffer) : 0;
            if (read < 0) {
                to.shutdownOutput();
                ignore(from);
                if (++line.ends == 2) {
                    drop(line, false);
                }
                return;
            }
            line.bytesLeft -= read;
            line.passed += read;
            buffer.flip();
            if (from.equals(line.connector)) {
                keep(line);
            }
            while (buffer.hasRemaining() && !isClosed() && passing && !breaking && line.cutNs - System.nanoTime() > 0) {
                if (to.write(buffer) == 0) {
                    Thread.yield();
                }
            }
        } catch (IOException broken) {
            drop(line, true);
            return;
        }
        if (line.bytesLeft == 0) {
            cut(line, line.cut);
        }
    }

    private void keep(Line line) {
        synchronized (said) {
            if (!line.equals(speaking)) {
                speaking = line;
                said.reset();
            }
            for (int at = 0; at < buffer.limit() && said.size() < SAID_MAX; at++) {
                said.write(buffer.get(at));
            }
        }
    }

    private void cut(Line line, Cut way) {
        count.incrementAndGet();
        hasty = line.passed < RESUMED_BYTES ? hasty + 1 : 0;
        switch (way) {
            case RESET -> drop(line, true);
            case END -> drop(line, false);
            case HALF -> {
                end(random.nextBoolean() ? line.connector : line.listener, true);
                line.frozen = true;
            }
            case FREEZE -> line.frozen = true;
        }
        List<Line> frozen = lines.stream().filter(other -> other.frozen).toList();
        if (frozen.size() > FROZEN_MAX) {
            drop(frozen.getFirst(), true);
        }
    }

    private void drop(Line line, boolean reset) {
        lines.remove(line);
        end(line.connector, reset);
        end(line.listener, reset);
    }

    @Override
    void resetAll() {
        List.copyOf(lines).forEach(line -> drop(line, true));
    }
}
