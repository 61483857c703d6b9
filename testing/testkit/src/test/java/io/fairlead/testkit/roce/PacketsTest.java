package io.fairlead.testkit.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The verdict on the counters of the guest's devices. */
@Timeout(60)
final class PacketsTest {
    @Test
    void shouldReadWhatTheGuestWrites() {
        assertEquals(
                List.of(new Packets("rxe0", 10, 20, 30), new Packets("rxe1", 1, 2, 3)),
                Packets.parse(List.of(
                        "rxe0 sent=10 received=20 frames=30", "something else", "rxe1 sent=1 received=2 frames=3")));
    }

    @Test
    void shouldWantPacketsOfBothDevicesOnTheirWires() {
        assertTrue(crossed(200, 200, 200));
        assertFalse(crossed(199, 200, 300), "too few sent");
        assertFalse(crossed(200, 199, 300), "too few received");
        assertFalse(crossed(200, 200, 199), "some did not leave by the wire");
    }

    @Test
    void shouldLetSomePacketsStayInTheirDevice() {
        List<Packets> half = List.of(new Packets("rxe0", 400, 400, 200), new Packets("rxe1", 400, 400, 200));
        assertTrue(Packets.crossed(half, 200, 2));
        assertFalse(Packets.crossed(half, 200, 1));
        List<Packets> fewer = List.of(new Packets("rxe0", 400, 400, 199), new Packets("rxe1", 400, 400, 200));
        assertFalse(Packets.crossed(fewer, 200, 2));
    }

    @Test
    void shouldNotTakeMissingCountersForSuccess() {
        assertFalse(Packets.crossed(List.of(), 200, 1));
        assertFalse(Packets.crossed(List.of(new Packets("rxe0", 300, 300, 300)), 200, 1));
    }

    @Test
    void shouldAddUpWhatTheDevicesOfANameCounted() {
        assertEquals(
                List.of(new Packets("rxe0", 11, 22, 33), new Packets("rxe1", 4, 5, 6)),
                Packets.sum(Stream.of(
                        new Packets("rxe1", 4, 5, 6), new Packets("rxe0", 10, 20, 30), new Packets("rxe0", 1, 2, 3))));
    }

    private static boolean crossed(long sent, long received, long frames) {
        return Packets.crossed(
                List.of(new Packets("rxe0", sent, received, frames), new Packets("rxe1", 999, 999, 999)), 200, 1);
    }
}
