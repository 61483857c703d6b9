package io.fairlead.system.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the frames of each of two devices to the other one, in a thread of its own, and can hold frames back. What it holds is bounded: while all slots of
 * a direction are taken it reads no frame there, and the device drops those that its own queue has no room for. Any thread may call it.
 */
final class FrameForwarder implements AutoCloseable {
    /** How frames are forwarded. */
    enum Mode {
        /** At once. */
        PLAIN,
        /** 50 to 70 ms later, in their order. */
        DELAYED,
        /** One of four 5 to 30 ms later, so that others overtake it. */
        REORDERED
    }

    /** The shortest time of {@link Mode#DELAYED}, in one direction. */
    static final Duration DELAY = Duration.ofMillis(50);

    private static final long DELAY_MAX_NS = TimeUnit.MILLISECONDS.toNanos(70);
    private static final long HELD_BACK_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long HELD_BACK_MAX_NS = TimeUnit.MILLISECONDS.toNanos(30);
    private static final int HELD_BACK_OF = 4;

    /** What 58,000 frames a second need in the longest delay; they have 8 MiB in each direction. */
    private static final int SLOTS = 4096;
    /** More than a frame of an Ethernet with packets of 1,500 bytes. */
    private static final int SLOT = 2048;
    /** Frames of one direction before it is the other one's turn. */
    private static final int TURN = 64;
    /** How soon the thread sees that it is closed. */
    private static final int WAIT_MAX_MS = 20;

    private static final Duration DEADLINE = Duration.ofSeconds(30);
    private static final long SEED = 1;

    private final long startedNs = System.nanoTime();
    private final Random random = new Random(SEED);
    private final AtomicLong delayed = new AtomicLong();
    private final AtomicLong overtaken = new AtomicLong();
    private final Arena arena = Arena.ofShared();
    private final TapPair devices;
    private final Direction there = new Direction(0, 1);
    private final Direction back = new Direction(1, 0);
    private final Thread thread = Thread.ofPlatform().daemon().name("frames").unstarted(this::run);
    private volatile Mode mode = Mode.PLAIN;
    private volatile boolean closed;
    private volatile @Nullable Throwable failure;

    /** Starts forwarding between devices, which it closes with itself. */
    FrameForwarder(TapPair devices) {
        this.devices = devices;
        thread.start();
    }

    /** Changes how frames are forwarded that come from now on. */
    void forward(Mode next) {
        mode = next;
    }

    /** Frames so far that were forwarded later than at once because a mode said so. */
    long delayed() {
        return delayed.get();
    }

    /** Frames so far that were forwarded after one that had come later. */
    long overtaken() {
        return overtaken.get();
    }

    private void run() {
        try {
            while (!closed) {
                devices.await(there.hasRoom(), back.hasRoom(), Math.min(there.waitMs(), back.waitMs()));
                Mode current = mode;
                there.take(current);
                back.take(current);
                there.forwardDue();
                back.forwardDue();
            }
        } catch (IOException | RuntimeException | Error broken) {
            failure = broken;
        }
    }

    /** The time since the start, so that times can be compared. */
    private long nowNs() {
        return System.nanoTime() - startedNs;
    }

    private long between(long minNs, long maxNs) {
        return random.nextLong(minNs, maxNs);
    }

    /**
     * A frame that waits.
     *
     * @param number how many came before it
     */
    private record Frame(long dueNs, long number, int slot, int length) implements Comparable<Frame> {
        @Override
        public int compareTo(Frame other) {
            return dueNs != other.dueNs ? Long.compare(dueNs, other.dueNs) : Long.compare(number, other.number);
        }
    }

    /** The frames from one device to the other. Used by the thread alone. */
    private final class Direction {
        private final int source;
        private final int target;
        private final MemorySegment slots = arena.allocate((long) SLOTS * SLOT);
        private final int[] free = new int[SLOTS];
        private int freeCount = SLOTS;
        private final PriorityQueue<Frame> waiting = new PriorityQueue<>();
        private long count;
        private long orderedUntilNs;
        private long newest;

        Direction(int source, int target) {
            this.source = source;
            this.target = target;
            for (int slot = 0; slot < SLOTS; slot++) {
                free[slot] = slot;
            }
        }

        boolean hasRoom() {
            return freeCount > 0;
        }

        /** How long until a frame is due, at least. */
        int waitMs() {
            Frame next = waiting.peek();
            if (next == null) {
                return WAIT_MAX_MS;
            }
            long ms = TimeUnit.NANOSECONDS.toMillis(next.dueNs - nowNs()) + 1;
            return Math.clamp(ms, 0, WAIT_MAX_MS);
        }

        void take(Mode current) throws IOException {
            for (int i = 0; i < TURN && hasRoom(); i++) {
                int slot = free[freeCount - 1];
                int length = devices.read(source, slots.asSlice((long) slot * SLOT, SLOT));
                if (length == 0) {
                    return;
                }
                freeCount--;
                waiting.add(new Frame(dueNs(current), count++, slot, length));
            }
        }

        /** When a frame is due that has just come. Those that are not to be overtaken wait for those before them, whose mode may have been another. */
        private long dueNs(Mode current) {
            long nowNs = nowNs();
            if (current == Mode.REORDERED && random.nextInt(HELD_BACK_OF) == 0) {
                delayed.incrementAndGet();
                return nowNs + between(HELD_BACK_NS, HELD_BACK_MAX_NS);
            }
            long dueNs = nowNs;
            if (current == Mode.DELAYED) {
                delayed.incrementAndGet();
                dueNs += between(DELAY.toNanos(), DELAY_MAX_NS);
            }
            orderedUntilNs = Math.max(orderedUntilNs, dueNs);
            return orderedUntilNs;
        }

        void forwardDue() throws IOException {
            long nowNs = nowNs();
            for (Frame next = waiting.peek(); next != null && next.dueNs <= nowNs; next = waiting.peek()) {
                waiting.remove();
                devices.write(target, slots.asSlice((long) next.slot * SLOT, next.length));
                free[freeCount++] = next.slot;
                if (next.number < newest) {
                    overtaken.incrementAndGet();
                } else {
                    newest = next.number;
                }
            }
        }
    }

    /**
     * Ends forwarding and both devices.
     *
     * @throws IOException if forwarding had failed, or its thread does not end
     */
    @Override
    public void close() throws IOException {
        closed = true;
        try {
            if (!thread.join(DEADLINE)) {
                throw new IOException(
                        "the thread that forwards frames did not end within " + DEADLINE.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while frames were forwarded", e);
        }
        devices.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
        if (failure != null) {
            throw new IOException("frames were not forwarded until the end", failure);
        }
    }
}
