package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Status;
import io.fairlead.testkit.internal.FakeOperation;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Endpoints that leave UCX, and peers that lie about it. */
@Timeout(60)
final class LaneSwitchTest {
    private static final byte LEFT = 1;
    private static final byte BATCH = 2;
    private static final byte OFFER = 32;
    private static final byte READY = 33;
    private static final byte STAY = 35;
    private static final int LONG = 1 << 20;

    private Arena arena;
    private RawHost victimHost;
    private RawHost hostileHost;
    private RawNode victim;
    private RawNode hostile;
    private UcxEndpoint victimEnd;
    private UcxEndpoint end;

    @BeforeEach
    void open() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        arena = Arena.ofConfined();
        victimHost = new RawHost(1, 2, false);
        hostileHost = new RawHost(2, 1, true);
        victimHost.mayLeaveLanes = true;
        hostileHost.mayLeaveLanes = true;
        victimHost.room = arena.allocate(LONG);
        hostileHost.room = arena.allocate(LONG);
        victim = new RawNode();
        hostile = new RawNode();
        victimEnd = victim.connect(victimHost, hostile.worker.address());
        end = hostile.connect(hostileHost, victim.worker.address());
        victimEnd.wireUp(end.wireUpData());
        end.wireUp(victimEnd.wireUpData());
        victimEnd.begin();
        end.begin();
        progressUntil(() -> victimEnd.isReady() && end.isReady());
        exchange();
    }

    @AfterEach
    void close() {
        if (victim != null) {
            end.close();
            victimEnd.close();
            progressUntil(() -> false);
            hostile.close();
            victim.close();
            arena.close();
        }
    }

    @Test
    void shouldSendMessagesOfAnyLengthAgain() {
        List<Long> lengths = List.of(8L, 5_000L, 60_000L, (long) LONG, 0L, 70_000L);
        lengths.forEach(length -> send(end, length));
        assertTrue(victimEnd.tryLeaveLanes("for a test"));
        assertFalse(victimEnd.tryLeaveLanes("again"));
        int _ = victim.worker.progress();
        exchange();
        assertNull(victimHost.failure);
        assertNull(hostileHost.failure);
        assertEquals(
                lengths.stream().sorted().toList(),
                victimHost.received.stream().sorted().toList());
        assertEquals("for a test", victimHost.leftFor);
        assertEquals("the peer has left UCX", hostileHost.leftFor);
        assertEquals(List.of(), end.lanes());
        assertTrue(end.isDrained());
        send(victimEnd, 77);
        exchange();
        assertEquals(List.of(77L), hostileHost.received);
    }

    @Test
    void shouldLeaveWhenUcxGivesThePeerUp() {
        send(end, 100);
        end.state().giveUp((byte) -80);
        end.state().reportGivenUp();
        exchange();
        assertNull(hostileHost.failure);
        assertTrue(Objects.requireNonNull(hostileHost.leftFor).contains("gave the peer up"), hostileHost.leftFor);
        assertEquals(List.of(100L), victimHost.received);
    }

    @Test
    void shouldCompleteALongSendOnlyWhenThePeerHasIt() {
        FakeOperation operation = FakeOperation.over(arena.allocate(LONG));
        assertTrue(end.send(operation));
        for (int i = 0; i < 100; i++) {
            int _ = hostile.worker.progress();
        }
        assertNull(operation.status);
        exchange();
        assertEquals(Status.OK, operation.status);
    }

    @Test
    void shouldEndEverythingThatIsUnderWayInAClose() {
        FakeOperation operation = FakeOperation.over(arena.allocate(LONG));
        assertTrue(end.send(operation));
        end.close();
        for (int i = 0; i < 2000 && operation.status == null; i++) {
            int _ = hostile.worker.progress();
        }
        assertEquals(Status.CANCELLED, operation.status);
        end = hostile.connect(new RawHost(3, 4, true), victim.worker.address());
    }

    @Test
    void shouldKeepWhatThePeerHasNotReadWithinBounds() {
        for (int i = 0; i < 10_000; i++) {
            send(end, 8);
            int _ = hostile.worker.progress();
        }
        assertFalse(Objects.requireNonNull(end.state().lanes()).isFull());
        exchange();
        assertEquals(10_000, victimHost.received.size());
        assertNull(victimHost.failure);
    }

    @Test
    void shouldRefuseFramesThatMakeNoSense() {
        assertRefused(new byte[] {9});
        assertRefused(new byte[] {LEFT, 0, 0});
        assertRefused(frame(LEFT, -1));
        assertRefused(frame(LEFT, 1000));
        assertRefused(batch(record(Batch.REPORT, 0)));
        leave();
        assertRefused(frame(LEFT, 0));
        assertRefused(new byte[] {BATCH});
        assertRefused(new byte[1 + TransportMessage.CAPACITY + 1]);
    }

    @Test
    void shouldGoBackToAnotherUcxEndpoint() {
        for (int i = 1; i < 10; i++) {
            leave();
            assertFalse(end.tryReturnToLanes());
            assertTrue(victimEnd.tryReturnToLanes());
            assertFalse(victimEnd.tryReturnToLanes());
            List.of(8L, 5_000L, (long) LONG, 70_000L).forEach(length -> send(end, length));
            exchange();
            assertEquals(i, victimHost.returns);
            assertEquals(i, hostileHost.returns);
            assertTrue(end.state().handle() != 0);
            send(end, LONG);
            send(end, 77);
            progressUntil(() -> end.isDrained() && victimHost.received.getLast() == LONG);
            assertTrue(hostileHost.frames.isEmpty());
            assertEquals(6 * i, victimHost.received.size());
            assertNull(victimHost.failure);
            assertNull(hostileHost.failure);
        }
    }

    @Test
    void shouldTakeAnOfferThatArrivesWithTheWordThatThePeerHasLeft() {
        assertTrue(end.tryLeaveLanes("for a test"));
        while (hostileHost.frames.isEmpty()) {
            int _ = hostile.worker.progress();
        }
        victimEnd.frame(ByteBuffer.wrap(hostileHost.frames.remove()));
        for (int i = 0; i < 2000 && victimHost.leftFor == null; i++) {
            int _ = victim.worker.progress();
        }
        assertTrue(victimEnd.tryReturnToLanes());
        int _ = victim.worker.progress();
        assertTrue(victimHost.frames.size() >= 2);
        // All of them before the other side has another turn.
        for (byte[] frame = victimHost.frames.poll(); frame != null; frame = victimHost.frames.poll()) {
            end.frame(ByteBuffer.wrap(frame));
        }
        exchange();
        assertNull(hostileHost.failure);
        assertEquals(1, hostileHost.returns);
    }

    @Test
    void shouldIgnoreBatchesOfEarlierLanes() {
        leave();
        assertTrue(victimEnd.tryReturnToLanes());
        exchange();
        assertEquals(1, victimHost.returns);
        byte[] signal = record(Batch.SIGNAL, 0, 99);
        MemorySegment late = arena.allocate(Batch.RECORDS + signal.length, 8);
        MemorySegment.copy(signal, 0, late, JAVA_BYTE, Batch.RECORDS, signal.length);
        for (int epoch = 0; epoch < 2; epoch++) {
            assertEquals(List.of(), victimHost.signals);
            hostile.send(
                    end.state().handle(),
                    late,
                    late.byteSize(),
                    TransportMessage.laneTag(TransportMessage.BATCH, epoch, hostileHost.sourceId()));
            exchange();
        }
        assertEquals(List.of(99L), victimHost.signals);
    }

    @Test
    void shouldStayWhereUcxDoesNotConnect() {
        leave();
        assertTrue(victimEnd.tryReturnToLanes());
        // The other side makes no progress, but its UCX endpoint fails.
        int _ = victim.worker.progress();
        victimEnd.frame(ByteBuffer.wrap(new byte[] {READY}));
        int _ = victim.worker.progress();
        boolean _ = victimEnd.tryLeaveLanes("as if UCX had given it up");
        int _ = victim.worker.progress();
        assertEquals("as if UCX had given it up", victimHost.stayedFor);
        assertEquals(2, victimHost.frames.size());
        victimHost.frames.clear();
        send(end, 77);
        exchange();
        assertEquals(List.of(77L), victimHost.received);
    }

    @Test
    void shouldMakeNoEndpointsWithoutEndForAListenerThatOffersAndStays() {
        leave();
        int refused = 0;
        for (int i = 0; i < 1000 && refused < 10; i++) {
            end.frame(ByteBuffer.wrap(new byte[] {OFFER}));
            int _ = hostile.worker.progress();
            byte answer = hostileHost.frames.remove()[0];
            if (answer == READY) {
                end.frame(ByteBuffer.wrap(new byte[] {STAY}));
            } else {
                refused++;
            }
            assertTrue(hostile.worker.parts().wireUps().abandoned().size() <= 64);
        }
        assertNull(hostileHost.failure);
        send(end, 77);
        exchange();
        assertEquals(List.of(77L), victimHost.received);
    }

    @Test
    void shouldRefuseFramesOfAReturnThatMakeNoSense() {
        for (byte kind = OFFER; kind < OFFER + 7; kind++) {
            assertRefused(new byte[] {kind});
        }
        leave();
        for (byte kind = OFFER; kind < OFFER + 7; kind++) {
            assertRefused(new byte[] {kind});
        }
    }

    @Test
    void shouldRefuseAPeerThatSendsWithoutEnd() {
        victimEnd.frame(ByteBuffer.wrap(frame(LEFT, 0)));
        byte[] much = new byte[1 + TransportMessage.CAPACITY];
        much[0] = BATCH;
        for (int i = 0; i < 20 && victimHost.frames.isEmpty(); i++) {
            int _ = victim.worker.progress();
        }
        assertThrows(FairleadException.class, () -> {
            for (int i = 0; i < 10_000; i++) {
                victimEnd.frame(ByteBuffer.wrap(much));
            }
        });
    }

    @Test
    void shouldRefuseRecordsThatMakeNoSense() {
        assertEnds(batch(new byte[8]));
        assertEnds(batch(record(99, 0)));
        assertEnds(batch(record(Batch.LONG_DONE, 7)));
        assertEnds(batch(record(Batch.LONG_WANTED, 7)));
        assertEnds(batch(record(Batch.LONG_PART, 7, 1)));
        assertEnds(batch(record(Batch.PART, 0, 1)));
        assertEnds(batch(record(Batch.TAGGED_BEGIN, 0)));
        assertEnds(batch(record(Batch.TAGGED_BEGIN, 0, 1L << 40)));
        assertEnds(batch(record(Batch.TAGGED_BEGIN, 0, -1)));
        assertEnds(batch(record(Batch.TAGGED_BEGIN, 0, 100, 1), record(Batch.TAGGED_BEGIN, 0, 100, 1)));
        assertEnds(batch(record(Batch.ACTIVE_BEGIN, 0, 1L << 40)));
        assertEnds(batch(record(Batch.TAGGED_LONG, 0)));
        assertEnds(batch(record(Batch.ACTIVE_LONG, 0, 1, 1)));
        assertEnds(batch(record(Batch.SIGNAL, 0)));
        assertEnds(batch(record(Batch.SERVED, 0)));
        byte[] report = batch(record(Batch.REPORT, 0));
        ByteBuffer.wrap(report).order(ByteOrder.nativeOrder()).putLong(1, 1000);
        assertEnds(report);
        ByteBuffer.wrap(report).order(ByteOrder.nativeOrder()).putLong(1, -1);
        assertEnds(report);
    }

    /** Both have left; what the peer sends then ends the endpoint, and its worker lives. */
    private void assertEnds(byte[] frame) {
        close();
        open();
        leave();
        victimEnd.frame(ByteBuffer.wrap(frame));
        progressUntil(() -> victimHost.failure != null);
        assertEquals(
                Reason.PROTOCOL_VIOLATION,
                Objects.requireNonNull(victimHost.failure, "the victim has noticed nothing")
                        .reason(),
                () -> String.valueOf(victimHost.failure));
    }

    private void leave() {
        assertTrue(end.tryLeaveLanes("for a test"));
        exchange();
        assertNotNull(victimHost.leftFor);
    }

    private void assertRefused(byte[] frame) {
        FairleadException refusal =
                assertThrows(FairleadException.class, () -> victimEnd.frame(ByteBuffer.wrap(frame)));
        assertEquals(Reason.PROTOCOL_VIOLATION, refusal.reason());
    }

    private void send(UcxEndpoint from, long length) {
        assertTrue(
                from.send(FakeOperation.over(arena.allocate(Math.max(length, 1)).asSlice(0, length))));
    }

    private static byte[] frame(byte kind, long count) {
        return ByteBuffer.allocate(1 + Long.BYTES).put(kind).putLong(count).array();
    }

    /** A record with words as its payload. */
    private static byte[] record(int kind, long number, long... payload) {
        int length = payload.length * Long.BYTES;
        MemorySegment bytes = MemorySegment.ofArray(new long[2 + payload.length]);
        bytes.set(JAVA_LONG, 0, Batch.word(kind, 0, length));
        bytes.set(JAVA_LONG, Batch.RECORD_TAG, number);
        for (int i = 0; i < payload.length; i++) {
            bytes.set(JAVA_LONG, Batch.RECORD_PAYLOAD + (long) i * Long.BYTES, payload[i]);
        }
        return bytes.toArray(JAVA_BYTE);
    }

    private static byte[] batch(byte[]... records) {
        int length = 0;
        for (byte[] one : records) {
            length += one.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(1 + Batch.RECORDS + length).put(BATCH);
        frame.position(1 + Batch.RECORDS);
        for (byte[] one : records) {
            frame.put(one);
        }
        return frame.array();
    }

    private void progressUntil(BooleanSupplier condition) {
        for (int i = 0; i < 2000 && !condition.getAsBoolean(); i++) {
            int _ = victim.worker.progress();
            int _ = hostile.worker.progress();
        }
    }

    /** Lets both go on until nothing more happens. */
    private void exchange() {
        for (int idle = 0; idle < 200; idle++) {
            int events = victim.worker.progress() + hostile.worker.progress();
            for (byte[] frame = victimHost.frames.poll(); frame != null; frame = victimHost.frames.poll()) {
                end.frame(ByteBuffer.wrap(frame));
                events++;
            }
            for (byte[] frame = hostileHost.frames.poll(); frame != null; frame = hostileHost.frames.poll()) {
                victimEnd.frame(ByteBuffer.wrap(frame));
                events++;
            }
            idle = events > 0 ? 0 : idle;
        }
    }
}
