package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Each claim of {@link Ring}'s javadoc, tried many times by two threads on two mappings of one file, as two processes have it. What must never be
 * seen would be seen sooner on a processor that keeps fewer orders; here it proves the compiler's part.
 */
@Timeout(300)
final class RingStressTest {
    private static final int RECORDS = 400_000;
    private static final int ROUNDS = 20_000;
    /** Each round waits for both threads, which a busy machine runs seldom: then there are fewer. */
    private static final long ROUNDS_NS = TimeUnit.SECONDS.toNanos(20);

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    /** The number of rounds, which the side that begins them lowers when the time is over. */
    private final AtomicLong rounds = new AtomicLong();

    private long beganNs;

    @FunctionalInterface
    private interface Side {
        void run() throws Exception;
    }

    @BeforeEach
    void forget() {
        failure.set(null);
        rounds.set(ROUNDS);
        beganNs = System.nanoTime();
    }

    /** Whether the side that begins rounds begins this one, after so many others. */
    private boolean mayBegin(long before) {
        if (System.nanoTime() - beganNs > ROUNDS_NS) {
            rounds.accumulateAndGet(before, Math::min);
        }
        return before < rounds.get();
    }

    private void together(Side first, Side second) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(2);
        Thread one = start(first, begun);
        Thread two = start(second, begun);
        one.join();
        two.join();
        assertEquals(null, failure.get());
    }

    private Thread start(Side side, CountDownLatch begun) {
        return Thread.ofPlatform().start(() -> {
            try {
                begun.countDown();
                begun.await();
                side.run();
            } catch (Throwable thrown) {
                failure.compareAndSet(null, thrown);
            }
        });
    }

    private void idle() {
        if (failure.get() != null) {
            throw new IllegalStateException("the other side failed");
        }
        Thread.yield();
    }

    /** A record that is seen is seen whole, in order, and nothing is seen that was never published, whatever lies there from earlier rounds. */
    @Test
    void shouldShowWholeRecordsInOrder() throws Exception {
        try (MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofShared())) {
            RingWriter writer = new RingWriter(RingSlots.ringAddress(file.address()));
            together(() -> write(writer), () -> read(file));
        }
    }

    private void write(RingWriter writer) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment payload = arena.allocate(Ring.PAYLOAD_MAX, 8);
            for (long n = 0; n < RECORDS; n++) {
                int length = lengthOf(n);
                // Words that are kinds and lengths of records when they are taken for those.
                for (long at = 0; at < length; at += 8) {
                    payload.set(JAVA_LONG, at, n << Ring.KIND_BITS | Ring.MESSAGE);
                }
                while (!writer.tryClaim(length)) {
                    assertTrue(!writer.hasFalsePosition(), writer::falsePositionText);
                    idle();
                }
                writer.put(0, payload, 0, length);
                writer.publish(Ring.MESSAGE, length, n, length);
                if (n % 3 == 0) {
                    writer.prefetchForWrite();
                }
            }
        }
    }

    private static int lengthOf(long n) {
        // Mostly words, now and then something long, so that records begin everywhere.
        return n % 97 == 0 ? Ring.PAYLOAD_MAX : (int) (n % 5) * 8;
    }

    private void read(MemoryFile file) throws IOException {
        try (MemoryFile other = MemoryFile.open(file.descriptor(), RingSlots.SLAB_SIZE);
                Arena arena = Arena.ofConfined()) {
            RingReader reader = new RingReader(RingSlots.ringAddress(other.address()));
            MemorySegment payload = arena.allocate(Ring.PAYLOAD_MAX, 8);
            for (long n = 0; n < RECORDS; n++) {
                while (!reader.tryNext()) {
                    reader.publishRead();
                    idle();
                }
                assertTrue(reader.isWellFormed(), reader::malformedText);
                assertEquals(Ring.MESSAGE, reader.kind());
                assertEquals(n, reader.tag());
                assertEquals(lengthOf(n), reader.length());
                reader.copy(payload, 0, reader.length());
                for (long at = 0; at < reader.length(); at += 8) {
                    assertEquals(n << Ring.KIND_BITS | Ring.MESSAGE, payload.get(JAVA_LONG, at));
                }
                reader.advanceAndPublish();
            }
        }
    }

    /** Who lies down to rest and who publishes never both miss the other: each message is either found before the rest or wakes the reader. */
    @Test
    void shouldNotMissAMessageForRest() throws Exception {
        try (MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofShared())) {
            long slab = file.address();
            long ring = RingSlots.ringAddress(slab);
            RingWriter writer = new RingWriter(ring);
            RingReader reader = new RingReader(ring);
            AtomicLong round = new AtomicLong();
            AtomicBoolean woken = new AtomicBoolean();
            together(
                    () -> {
                        for (long n = 0; n < rounds.get(); n++) {
                            while (round.get() < n && n < rounds.get()) {
                                idle();
                            }
                            if (n >= rounds.get()) {
                                return;
                            }
                            while (!writer.tryWrite(Ring.SIGNAL, 0, n)) {
                                idle();
                            }
                            Ring.fenceBeforeRestCheck();
                            if (Ring.isResting(slab) && Ring.tryClaimWakeup(slab)) {
                                woken.set(true);
                            }
                        }
                    },
                    () -> {
                        for (long n = 0; mayBegin(n); n++) {
                            round.set(n);
                            Ring.setResting(slab, true);
                            Ring.fenceBeforeLastCheck();
                            if (!reader.hasRecord()) {
                                // Nobody else ends this sleep.
                                while (!woken.get()) {
                                    idle();
                                }
                            }
                            Ring.setResting(slab, false);
                            while (!reader.tryNext()) {
                                idle();
                            }
                            assertEquals(n, reader.tag());
                            reader.advance();
                            reader.publishRead();
                            woken.set(false);
                        }
                    });
        }
    }

    /** Memory that was read while the owner's endpoint had not ended was not given back before. */
    @Test
    void shouldTellTheEndBeforeMemoryIsGivenBack() throws Exception {
        try (MemoryFile file = MemoryFile.create(RingSlots.SLAB_SIZE, Arena.ofShared());
                Arena arena = Arena.ofShared()) {
            MemorySegment single = arena.allocate(JAVA_LONG);
            long ring = RingSlots.ringAddress(file.address());
            AtomicLong round = new AtomicLong();
            AtomicLong done = new AtomicLong();
            together(
                    () -> {
                        for (long n = 1; mayBegin(n - 1); n++) {
                            Ring.MEMORY.set(JAVA_LONG, ring + 8, 0);
                            single.set(JAVA_LONG, 0, 77);
                            round.setRelease(n);
                            Ring.end(ring);
                            // It is somebody else's now.
                            single.set(JAVA_LONG, 0, -1);
                            while (done.getAcquire() < n) {
                                idle();
                            }
                        }
                    },
                    () -> {
                        for (long n = 1; n <= rounds.get(); n++) {
                            while (round.getAcquire() < n && n <= rounds.get()) {
                                idle();
                            }
                            if (n > rounds.get()) {
                                return;
                            }
                            long read = single.get(JAVA_LONG, 0);
                            if (!Ring.hasReaderEnded(ring)) {
                                assertEquals(77, read, "memory was given back, and nobody had said so");
                            }
                            done.setRelease(n);
                        }
                    });
        }
    }
}
