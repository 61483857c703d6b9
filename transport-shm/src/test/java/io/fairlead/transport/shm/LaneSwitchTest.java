package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.testkit.internal.FakeOperation;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rings that break under two endpoints which may leave them, and peers that lie about it. */
final class LaneSwitchTest extends HostilePeerCases {
    private static final byte LEFT = 1;
    private static final byte RECORDS = 2;
    private static final byte LAST_RECORDS = 3;
    private static final byte POSITION = 4;
    private static final byte OFFER = 32;
    private static final byte READY = 33;
    private static final byte REFUSED = 34;
    private static final byte STAY = 35;
    private static final byte BACK = 36;
    private static final byte READ = 37;

    LaneSwitchTest() {
        victimHost.mayLeaveLanes = true;
        hostileHost.mayLeaveLanes = true;
    }

    @BeforeEach
    void begin() {
        end.begin();
        victimHost.room = arena.allocate(Ring.PAYLOAD_MAX);
    }

    @Test
    void shouldGoOnPastABrokenRecord() {
        send(end, 100);
        send(end, 200);
        long second = victimEnd.ringAddress() + Ring.RECORDS_AT + Ring.span(100);
        Ring.MEMORY.set(JAVA_LONG, second, -2L);
        exchange();
        assertNull(victimHost.failure);
        assertEquals(List.of(100L, 200L), victimHost.received);
        assertTrue(Objects.requireNonNull(victimHost.leftFor).contains("makes no sense"), victimHost.leftFor);
        assertNotNull(hostileHost.leftFor);
        assertGoesOn();
    }

    @Test
    void shouldGoOnPastAFalsePosition() {
        for (int i = 0; i < 8; i++) {
            send(victimEnd, Ring.PAYLOAD_MAX);
        }
        hostileHost.room = arena.allocate(Ring.PAYLOAD_MAX);
        Ring.publishPosition(fromVictim, 1 << 20);
        int _ = victim.progress();
        exchange();
        assertNull(victimHost.failure);
        assertEquals(8, hostileHost.received.size());
        assertTrue(Objects.requireNonNull(victimHost.leftFor).contains("position=1048576"), victimHost.leftFor);
    }

    @Test
    void shouldReadNoRingThatItHasLeft() {
        assertTrue(victimEnd.tryLeaveLanes("for a test"));
        int _ = victim.progress();
        send(end, 300);
        int _ = victim.progress();
        assertEquals(List.of(), victimHost.received);
        exchange();
        assertEquals(List.of(300L), victimHost.received);
        assertFalse(victimEnd.tryLeaveLanes("again"));
        assertEquals(0, victimEnd.ringAddress());
        assertGoesOn();
    }

    @Test
    void shouldSendMoreThanARingHoldsEitherWay() {
        assertTrue(end.tryLeaveLanes("for a test"));
        for (int i = 0; i < 300; i++) {
            send(end, i * 27 % Ring.PAYLOAD_MAX);
            if (i % 7 == 0) {
                exchange();
            }
        }
        exchange();
        assertNull(victimHost.failure);
        assertEquals(300, victimHost.received.size());
        for (int i = 0; i < 300; i++) {
            assertEquals(i * 27 % Ring.PAYLOAD_MAX, victimHost.received.get(i));
        }
    }

    @Test
    void shouldRefuseFramesThatMakeNoSense() {
        assertRefused(new byte[] {9});
        assertRefused(new byte[] {LEFT, 0, 0});
        assertRefused(frame(LEFT, -1));
        assertRefused(frame(POSITION, 0));
        assertRefused(new byte[] {RECORDS});
        assertRefused(new byte[1 + Ring.ALIGNMENT]);
    }

    @Test
    void shouldRefuseAnotherLeave() {
        victimEnd.frame(ByteBuffer.wrap(frame(LEFT, 0)));
        assertRefused(frame(LEFT, 0));
    }

    @Test
    void shouldRefusePositionsOfWhatWasNotSent() {
        send(victimEnd, 100);
        victimEnd.frame(ByteBuffer.wrap(frame(LEFT, 1 << 20)));
        progressUntil(() -> victimHost.failure != null);
        assertEquals(Reason.PROTOCOL_VIOLATION, failure(victimHost).reason());
    }

    @Test
    void shouldRefusePositionsBetweenRecords() {
        MemorySegment message = arena.allocate(100);
        // It reads like a record that is longer than the ring.
        message.set(WORD, 0, 1L << 30 | Ring.MESSAGE);
        assertTrue(victimEnd.send(FakeOperation.over(message)));
        victimEnd.frame(ByteBuffer.wrap(frame(LEFT, Ring.ALIGNMENT)));
        progressUntil(() -> victimHost.failure != null);
        assertEquals(Reason.PROTOCOL_VIOLATION, failure(victimHost).reason());
    }

    @Test
    void shouldRefuseRecordsWithoutCapacity() {
        leave();
        byte[] records = new byte[1 + 16 * Ring.ALIGNMENT];
        records[0] = RECORDS;
        assertRefused(new byte[] {RECORDS, 1});
        assertThrows(FairleadException.class, () -> {
            for (int i = 0; i <= Ring.CAPACITY; i += 16 * Ring.ALIGNMENT) {
                victimEnd.frame(ByteBuffer.wrap(records));
            }
        });
    }

    @Test
    void shouldRefuseAFillerWithoutCapacity() {
        leave();
        // All of a ring would be unused.
        assertRefused(new byte[] {LAST_RECORDS});
    }

    @Test
    void shouldRefuseRecordsThatMakeNoSense() {
        leave();
        byte[] records = new byte[1 + Ring.ALIGNMENT];
        records[0] = RECORDS;
        records[1] = (byte) 0xFE;
        victimEnd.frame(ByteBuffer.wrap(records));
        progressUntil(() -> victimHost.failure != null);
        assertEquals(Reason.PROTOCOL_VIOLATION, failure(victimHost).reason());
    }

    @Test
    void shouldRefuseALaterPositionOfWhatWasNotSent() {
        leave();
        assertRefused(frame(POSITION, 1 << 10));
        assertRefused(frame(POSITION, -16));
    }

    @Test
    void shouldGoBackToOtherRings() {
        leave();
        assertFalse(end.tryReturnToLanes());
        assertTrue(victimEnd.tryReturnToLanes());
        assertFalse(victimEnd.tryReturnToLanes());
        send(end, 100);
        send(end, Ring.PAYLOAD_MAX);
        exchange();
        assertBack(1);
        assertEquals(List.of(100L, (long) Ring.PAYLOAD_MAX), victimHost.received);
        send(end, 200);
        int _ = hostile.progress();
        int _ = victim.progress();
        assertEquals(3, victimHost.received.size());
        assertTrue(hostileHost.frames.isEmpty());
        for (int i = 2; i < 20; i++) {
            assertTrue((i % 2 == 0 ? end : victimEnd).tryLeaveLanes("for a test"));
            exchange();
            assertEquals(0, victimEnd.ringAddress());
            assertTrue(victimEnd.tryReturnToLanes());
            send(end, i);
            exchange();
            assertBack(i);
        }
        assertEquals(21, victimHost.received.size());
        assertNull(victimHost.failure);
        assertNull(hostileHost.failure);
    }

    @Test
    void shouldTakeAnOfferThatArrivesWithTheWordThatThePeerHasLeft() {
        assertTrue(end.tryLeaveLanes("for a test"));
        int _ = hostile.progress();
        passFrames();
        // The listener has left too, and goes on and offers before the other side has another turn.
        int _ = victim.progress();
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.progress();
        passFrames();
        exchange();
        assertBack(1);
        assertNull(hostileHost.failure);
    }

    @Test
    void shouldLeaveRingsThatBreakBeforeBothUseThem() {
        leave();
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.progress();
        passFrames();
        int _ = hostile.progress();
        passFrames();
        // The listener has sent its decision, and the other side knows nothing of it.
        int _ = victim.progress();
        assertTrue(victimEnd.tryLeaveLanes("in between"));
        exchange();
        assertEquals(1, victimHost.returns);
        assertEquals("in between", victimHost.leftFor);
        assertEquals(0, victimEnd.ringAddress());
        assertGoesOn();
    }

    @Test
    void shouldStayWithoutARingOfThePeer() {
        leave();
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.progress();
        assertArrayEquals(new byte[] {OFFER}, victimHost.frames.remove());
        victimEnd.frame(ByteBuffer.wrap(new byte[] {READY}));
        int _ = victim.progress();
        assertArrayEquals(new byte[] {STAY}, victimHost.frames.remove());
        assertTrue(Objects.requireNonNull(victimHost.stayedFor).contains("passed no ring"), victimHost.stayedFor);
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.progress();
        assertArrayEquals(new byte[] {OFFER}, victimHost.frames.remove());
        victimEnd.frame(ByteBuffer.wrap(new byte[] {REFUSED}));
        assertTrue(Objects.requireNonNull(victimHost.stayedFor).contains("the peer"), victimHost.stayedFor);
        assertGoesOn();
    }

    @Test
    void shouldRefuseFramesOfAReturnThatMakeNoSense() {
        for (byte kind : new byte[] {OFFER, READY, REFUSED, STAY, BACK, READ}) {
            assertRefused(new byte[] {kind});
        }
        leave();
        // It is the listener, which offers.
        for (byte kind : new byte[] {OFFER, READY, REFUSED, STAY, BACK, READ, READ + 1}) {
            assertRefused(new byte[] {kind});
        }
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.progress();
        for (byte kind : new byte[] {OFFER, STAY, BACK, READ}) {
            assertRefused(new byte[] {kind});
        }
        assertRefused(new byte[] {READY, 0});
        victimEnd.frame(ByteBuffer.wrap(new byte[] {READY}));
        assertRefused(new byte[] {READY});
    }

    @Test
    void shouldRefuseRecordsBehindTheLastOne() {
        leave();
        returnUntilBack();
        assertRefused(new byte[1 + Ring.ALIGNMENT]);
        assertRefused(new byte[] {BACK});
        assertRefused(frame(LEFT, 0));
    }

    @Test
    void shouldRefuseAReaderThatHasNotReadAll() {
        send(victimEnd, 100);
        leave();
        send(victimEnd, 100);
        int _ = victim.progress();
        returnUntilBack();
        int _ = victim.progress();
        victimEnd.frame(ByteBuffer.wrap(new byte[] {READ}));
        progressUntil(() -> victimHost.failure != null);
        assertEquals(Reason.PROTOCOL_VIOLATION, failure(victimHost).reason());
    }

    /** The peer has sent its last record, and says nothing more. */
    private void returnUntilBack() {
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.progress();
        victimHost.frames.forEach(frame -> end.frame(ByteBuffer.wrap(frame)));
        victimHost.frames.clear();
        int _ = hostile.progress();
        hostileHost.frames.removeIf(frame -> frame[0] < OFFER);
        assertArrayEquals(new byte[] {READY}, hostileHost.frames.remove());
        victimEnd.frame(ByteBuffer.wrap(new byte[] {READY}));
        int _ = victim.progress();
        victimEnd.frame(ByteBuffer.wrap(new byte[] {BACK}));
    }

    private void assertBack(int times) {
        assertEquals(times, victimHost.returns);
        assertEquals(times, hostileHost.returns);
        assertNotEquals(0, victimEnd.ringAddress());
    }

    private static FairleadException failure(RawHost host) {
        return Objects.requireNonNull(host.failure, "the victim has noticed nothing");
    }

    /** Both have left. */
    private void leave() {
        assertTrue(victimEnd.tryLeaveLanes("for a test"));
        exchange();
        assertNotNull(victimHost.leftFor);
    }

    private void assertRefused(byte[] frame) {
        FairleadException refusal =
                assertThrows(FairleadException.class, () -> victimEnd.frame(ByteBuffer.wrap(frame)));
        assertEquals(Reason.PROTOCOL_VIOLATION, refusal.reason());
    }

    private void assertGoesOn() {
        int before = victimHost.received.size();
        send(end, 77);
        exchange();
        assertEquals(before + 1, victimHost.received.size());
        assertEquals(77, victimHost.received.getLast());
    }

    private void send(ShmEndpoint from, long length) {
        assertTrue(
                from.send(FakeOperation.over(arena.allocate(Math.max(length, 1)).asSlice(0, length))));
    }

    private static byte[] frame(byte kind, long position) {
        return ByteBuffer.allocate(1 + Long.BYTES).put(kind).putLong(position).array();
    }

    /** Lets both go on until nothing more happens. */
    private void exchange() {
        for (int idle = 0; idle < 50; idle++) {
            int events = victim.progress() + hostile.progress() + passFrames();
            idle = events > 0 ? 0 : idle;
        }
    }

    private int passFrames() {
        int count = victimHost.frames.size() + hostileHost.frames.size();
        for (byte[] frame = victimHost.frames.poll(); frame != null; frame = victimHost.frames.poll()) {
            end.frame(ByteBuffer.wrap(frame));
        }
        for (byte[] frame = hostileHost.frames.poll(); frame != null; frame = hostileHost.frames.poll()) {
            victimEnd.frame(ByteBuffer.wrap(frame));
        }
        return count;
    }
}
