package io.fairlead.node.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ByteLimitTest {
    private static final long MIB = 1 << 20;
    private static final long LONG_NS = 60_000_000_000L;

    private final ByteBudget budget = new ByteBudget(4 * MIB);
    private final ByteLimit room = new ByteLimit(budget, MIB);

    @Test
    void shouldTakeUpToTheLimitOfTheRoom() {
        assertTrue(room.tryTake(MIB, 0));
        assertFalse(room.tryTake(1, 0));
        room.giveBack(1);
        assertTrue(room.tryTake(1, 0));
        room.giveBack(MIB);
        assertEquals(0, room.held());
        assertEquals(0, budget.taken());
    }

    @Test
    void shouldTakeUpToTheBudgetOfAllRooms() {
        List<ByteLimit> rooms = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            rooms.add(new ByteLimit(budget, MIB));
            assertTrue(rooms.getLast().tryTake(MIB, 0));
        }
        assertFalse(room.tryTake(MIB, 0));
        assertEquals(0, room.held());
        rooms.getFirst().giveBack(MIB);
        assertTrue(room.tryTake(MIB, 0));
    }

    @Test
    void shouldTakeOneLongerThanTheLimitWhereNothingElseIs() {
        assertTrue(room.tryTake(10 * MIB, 0));
        assertFalse(room.tryTake(1, 0));
        room.giveBack(10 * MIB);
        assertTrue(room.tryTake(1, 0));
    }

    @Test
    void shouldWaitForRoom() {
        assertTrue(room.tryTake(MIB, 0));
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> room.tryTake(10, LONG_NS));
        room.giveBack(MIB);
        assertTrue(waiting.join());
        assertEquals(10, room.held());
    }

    @Test
    void shouldEndAWaitThatIsFutileOrTooLong() {
        assertTrue(room.tryTake(MIB, 0));
        assertFalse(room.tryTake(10, 1_000_000, () -> false));
        assertFalse(room.tryTake(10, LONG_NS, () -> true));
        assertEquals(MIB, room.held());
    }

    @Test
    void shouldLetCallersOnWhenThePeerHasEnded() {
        assertTrue(room.tryTake(MIB, 0));
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> room.tryTake(10, LONG_NS));
        room.end();
        assertTrue(waiting.join());
        room.giveBack(MIB + 10);
        assertEquals(0, budget.taken());
    }

    @Test
    void shouldCountRightWhateverThreadsTakeAndGive() {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            ByteLimit own = t % 2 == 0 ? room : new ByteLimit(budget, MIB);
            threads.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 20_000; i++) {
                    long bytes = ThreadLocalRandom.current().nextLong(MIB);
                    if (own.tryTake(bytes)) {
                        own.giveBack(bytes);
                    }
                }
            }));
        }
        threads.forEach(CompletableFuture::join);
        assertEquals(0, room.held());
        assertEquals(0, budget.taken());
    }
}
