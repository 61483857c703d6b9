package io.fairlead.transport.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.spi.Reach;
import io.fairlead.spi.Transport;
import io.fairlead.spi.TransportSetup;
import io.fairlead.testkit.internal.FakeOperation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The small parts that the endpoint is made of. */
@Timeout(60)
final class PartsTest {
    @Test
    @SuppressWarnings("restricted")
    void shouldSeeSegmentsBeyondTwoGibThroughWindows() {
        ViewCache views = new ViewCache();
        MemorySegment huge = MemorySegment.ofAddress(1 << 20).reinterpret((5L << 30) + 17);
        ByteBuffer view = views.view(huge, (1L << 30) - 10, 100);
        assertEquals(10, view.remaining());
        assertEquals(100, views.view(huge, 1L << 30, 100).remaining());
        assertEquals(1 << 30, views.view(huge, 4L << 30, 1L << 33).remaining());
        ByteBuffer last = views.view(huge, 5L << 30, 17);
        assertEquals(17, last.remaining());
        assertEquals((1 << 20) + (5L << 30), MemorySegment.ofBuffer(last).address());
        assertSame(last, views.view(huge, (5L << 30) + 1, 16));
    }

    @Test
    @SuppressWarnings("restricted")
    void shouldReuseViewsOfAsManySegmentsAsAreInUse() {
        try (Arena arena = Arena.ofConfined()) {
            ViewCache views = new ViewCache();
            MemorySegment segment = arena.allocate(100);
            ByteBuffer view = views.view(segment, 0, 100);
            assertSame(view, views.view(segment, 50, 50));
            assertSame(view, views.view(segment.asSlice(0, 100), 0, 100));
            assertNotSame(view, views.view(segment.asSlice(0, 99), 0, 99));
            assertNotSame(view, views.view(segment.asReadOnly(), 0, 100));
            MemorySegment otherScope =
                    MemorySegment.ofAddress(segment.address()).reinterpret(100);
            assertNotSame(view, views.view(otherScope, 0, 100));
            assertSame(view, views.view(segment, 0, 100));
            for (int i = 0; i < 5000; i++) {
                MemorySegment other = arena.allocate(8);
                assertEquals(
                        other.address(),
                        MemorySegment.ofBuffer(views.view(other, 0, 8)).address());
            }
        }
    }

    @Test
    void shouldGiveEveryUseOfASlotAnotherId() {
        OperationTable table = new OperationTable(3);
        PendingOperation first = table.add(PendingOperation.Kind.RECEIVE, new FakeOperation());
        long id = first.id;
        assertSame(first, table.find(TcpFrame.DATA, id, PendingOperation.Kind.RECEIVE));
        table.remove(first);
        assertThrows(FairleadException.class, () -> table.find(TcpFrame.DATA, id, PendingOperation.Kind.RECEIVE));
        for (int i = 0; i < 200_000; i++) {
            PendingOperation entry = table.add(PendingOperation.Kind.RECEIVE, new FakeOperation());
            assertTrue(entry.id > 0 && entry.id <= TcpFrame.ID_MAX);
            table.remove(entry);
        }
        PendingOperation again = table.add(PendingOperation.Kind.RECEIVE, new FakeOperation());
        assertNotEquals(id, again.id);
        table.add(PendingOperation.Kind.RECEIVE, new FakeOperation());
        assertFalse(table.isFull());
        table.add(PendingOperation.Kind.RECEIVE, new FakeOperation());
        assertTrue(table.isFull());
    }

    @Test
    void shouldKeepRecordsInOrderUpToTheLimit() {
        LongRing ring = new LongRing(100);
        Random random = new Random(3);
        List<Long> expected = new ArrayList<>();
        for (long i = 0; i < 10_000; i++) {
            if (random.nextInt(5) < 3) {
                assertEquals(expected.size() < 100, ring.add(i, i + 1, i + 2, i + 3));
                if (expected.size() < 100) {
                    expected.add(i);
                }
            } else if (!expected.isEmpty()) {
                assertEquals(expected.getFirst() + 3, ring.field(3));
                ring.remove();
                expected.removeFirst();
            }
            assertEquals(expected.size(), ring.size());
            if (!expected.isEmpty()) {
                assertEquals(expected.getFirst(), ring.field(0));
            }
        }
    }

    @Test
    void shouldReachPeersOfTheSameVersionOnly() {
        try (Transport transport = new TcpProvider().open(new TransportSetup(FairleadConfig.defaults(), 1))) {
            Reach same = transport.reach(new byte[0], TcpFrame.VERSION, new byte[] {1, 2, 3});
            assertEquals("tcp", same.device());
            Reach other = transport.reach(new byte[0], "999", new byte[0]);
            assertEquals(null, other.pathClass());
            assertTrue(other.reason().contains("peer=999"), other.reason());
        }
    }

    @Test
    void shouldRefuseSettingsOutOfRange() {
        assertEquals(0, TcpProvider.SEND_BUFFER.parse("0"));
        assertEquals(1 << 30, TcpProvider.RECEIVE_BUFFER.parse("1073741824"));
        assertThrows(IllegalArgumentException.class, () -> TcpProvider.SEND_BUFFER.parse("-1"));
        assertThrows(IllegalArgumentException.class, () -> TcpProvider.RECEIVE_BUFFER.parse("1073741825"));
        new TcpProvider().configKeys().forEach(key -> assertTrue(key.name().startsWith("tcp.")));
    }
}
