package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The futexes that the kernel marks are those in the list of a thread that has ended. */
@Timeout(60)
final class RobustListTest {
    private static final long DISTANCE = 64;
    private static final int MANY = 1000;

    private final Arena arena = Arena.ofShared();

    private MemorySegment entry() {
        return arena.allocate(DISTANCE + Long.BYTES, Long.BYTES);
    }

    private static boolean isMarked(MemorySegment entry) {
        return RobustList.isMarked(entry.address() + DISTANCE);
    }

    /** Has a thread make a list, and end without closing it. */
    private static void endThreadWith(Consumer<RobustList> use) throws InterruptedException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                use.accept(new RobustList(DISTANCE));
                done.complete(null);
            } catch (IOException | RuntimeException | Error failure) {
                done.completeExceptionally(failure);
            }
        });
        done.join();
        thread.join();
    }

    /** The kernel's thread ends a moment after Java's. */
    private static void awaitMark(MemorySegment entry) {
        while (!isMarked(entry)) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldMarkWhatAThreadHoldsWhenItEnds() throws InterruptedException {
        MemorySegment entry = entry();
        endThreadWith(list -> {
            list.add(entry.address());
            assertFalse(isMarked(entry));
            assertNotEquals(0, entry.get(JAVA_INT, DISTANCE));
        });
        awaitMark(entry);
    }

    @Test
    void shouldMarkThoseAloneThatAreStillHeld() throws InterruptedException {
        Random random = new Random(1);
        List<MemorySegment> held = new ArrayList<>();
        List<MemorySegment> released = new ArrayList<>();
        endThreadWith(list -> {
            for (int i = 0; i < MANY; i++) {
                MemorySegment added = entry();
                list.add(added.address());
                held.add(added);
                if (random.nextInt(3) == 0) {
                    // The first, the last, and those between.
                    int which = i % 2 == 0 ? random.nextInt(held.size()) : (i % 4 - 1) / 2 * (held.size() - 1);
                    MemorySegment removed = held.remove(which);
                    list.remove(removed.address());
                    released.add(removed);
                }
            }
        });
        held.forEach(RobustListTest::awaitMark);
        assertTrue(released.size() > MANY / 4);
        assertEquals(
                Collections.nCopies(released.size(), false),
                released.stream().map(RobustListTest::isMarked).toList());
    }

    @Test
    void shouldMarkNothingOfAListThatWasClosed() throws InterruptedException {
        MemorySegment entry = entry();
        MemorySegment other = entry();
        endThreadWith(list -> {
            list.add(entry.address());
            list.close();
        });
        // A later thread's mark comes after the end of the earlier one's only by chance; so this one ends later.
        endThreadWith(list -> list.add(other.address()));
        awaitMark(other);
        assertFalse(isMarked(entry));
    }

    @Test
    void shouldLeaveAnEntryAloneThatWasNeverAdded() throws InterruptedException {
        MemorySegment entry = entry();
        MemorySegment other = entry();
        endThreadWith(list -> {
            list.add(other.address());
            list.remove(entry.address());
        });
        awaitMark(other);
        assertEquals(0, entry.get(JAVA_LONG, 0));
    }
}
