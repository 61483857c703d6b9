package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer with the same UCX that says what no peer of ours would: every lie is refused with its reason, and nothing outside a region that
 * the peer was given is read or written.
 */
@Timeout(60)
final class HostilePeerTest {
    private static final long REGION = 7;
    private static final long READ_ONLY = 8;
    private static final long CLOSED = 9;
    private static final int SIZE = 4096;
    private static final byte CANARY = 0x5A;
    private static final int TURNS = 2000;

    /** Of a signal for an endpoint that there is not. */
    private static final long STRAY = TransportMessage.tag(TransportMessage.SIGNAL, 60_000);

    // The numbers of served memory's messages.
    private static final int PUT = 1;
    private static final int GET = 2;
    private static final int ATOMIC = 3;
    private static final int DONE = 5;
    private static final int ANSWERED = 1;

    private final Arena arena = Arena.ofConfined();
    /** A region with the victim's own memory on both sides. */
    private final MemorySegment whole = arena.allocate(3L * SIZE, 8);

    private final MemorySegment region = whole.asSlice(SIZE, SIZE);
    private final RawHost victimHost = new RawHost(3, 4, false);
    private final RawHost hostileHost = new RawHost(4, 3, true);
    private RawNode victim;
    private RawNode hostile;
    private UcxEndpoint victimEnd;
    private UcxEndpoint end;

    @BeforeEach
    void connect() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        whole.fill(CANARY);
        victim = new RawNode();
        hostile = RawNode.leading(victim);
        victimHost.region(REGION, region, EnumSet.allOf(AccessRight.class));
        victimHost.region(READ_ONLY, region, Set.of(AccessRight.READ));
        victimEnd = victim.connect(victimHost, hostile.worker.address());
        end = hostile.connect(hostileHost, victim.worker.address());
        victimEnd.begin();
        end.begin();
        progressUntil(() -> victimEnd.state().isMade());
    }

    @AfterEach
    void close() {
        if (victim != null) {
            end.close();
            victimEnd.close();
            progressUntil(() -> false);
            hostile.close();
            victim.close();
        }
        assertEquals(0, victimHost.holders, "regions that are still held");
        arena.close();
    }

    // Served memory.

    @Test
    void shouldServeAnHonestRequest() {
        put(REGION, SIZE - 8, 8);
        progressUntil(() -> region.get(ValueLayout.JAVA_BYTE, SIZE - 1) != CANARY);
        assertNull(victimHost.failure);
        assertEquals(CANARY, region.get(ValueLayout.JAVA_BYTE, SIZE - 9));
        assertOutsideUntouched();
    }

    @Test
    void shouldRefusePutsBeyondTheRegion() {
        put(REGION, SIZE - 7, 8);
        assertRefused("put exceeds memory region: offset=4089, length=8, regionLength=4096 bytes");
    }

    @Test
    void shouldRefusePutsBeforeTheRegion() {
        put(REGION, -8, 8);
        assertRefused("put exceeds memory region: offset=-8");
    }

    @Test
    void shouldRefusePutsWithoutTheRight() {
        put(READ_ONLY, 0, 8);
        assertRefused("put on a region without WRITE");
    }

    @Test
    void shouldRefuseGetsBeyondTheRegion() {
        send(GET, 0, 0, REGION, SIZE - 7, 8);
        assertRefused("get exceeds memory region");
    }

    @Test
    void shouldRefuseGetsThatFitNoAnswer() {
        send(GET, 0, 0, REGION, 0, TransportMessage.DATA_MAX + 1L);
        assertRefused("get of a wrong length: length=" + (TransportMessage.DATA_MAX + 1));
    }

    @Test
    void shouldRefuseAtomicsAcrossWords() {
        send(ATOMIC, 0, 0, REGION, 4, 1, 0);
        assertRefused("atomic is not aligned: offset=4");
    }

    @Test
    void shouldRefuseAtomicsWithoutTheRight() {
        send(ATOMIC, 0, 0, READ_ONLY, 0, 1, 0);
        assertRefused("atomic on a region without ATOMIC");
    }

    @Test
    void shouldRefuseUnknownRequests() {
        send(77, 0, 0, REGION, 0);
        assertRefused("kind=77");
    }

    @Test
    void shouldRefuseCutOffRequests() {
        TransportMessage message = served(PUT, ANSWERED, 8, REGION, 0);
        message.length -= 1;
        end.channel().send(message, TransportMessage.SERVED);
        assertRefused("message=PUT, length=31");
    }

    @Test
    void shouldRefuseEmptyRequests() {
        TransportMessage message = served(PUT, ANSWERED, 0, REGION, 0);
        message.length = 0;
        end.channel().send(message, TransportMessage.SERVED);
        assertRefused("length=0");
    }

    @Test
    void shouldRefuseToKeepAnswersThatNobodyReads() {
        progressUntil(() -> end.isReady() && victimEnd.isReady());
        for (int asked = 0; asked < 10_000 && victimHost.failure == null; asked++) {
            send(GET, 0, 0, REGION, 0, SIZE);
            int events = victim.worker.progress();
            assertTrue(events >= 0);
        }
        assertRefused("the peer sends requests and does not read the answers: unread=64, allowed 64");
    }

    @Test
    void shouldAnswerAsMuchAsAPeerMayAsk() {
        progressUntil(() -> end.isReady() && victimEnd.isReady());
        // As far as its own side knows the hostile peer asked for nothing, so that it stops at the first answer.
        for (int asked = 0; asked < RemoteOperations.WINDOW; asked++) {
            send(GET, 0, 0, REGION, 0, SIZE);
        }
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        assertUntouched();
    }

    @Test
    void shouldTellThatARegionIsClosed() {
        put(CLOSED, 0, 8);
        // The answer is one that the hostile peer never asked for, as far as its own side knows.
        progressUntil(() -> hostileHost.failure != null);
        assertNotNull(hostileHost.failure);
        assertNull(victimHost.failure);
        assertUntouched();
    }

    @Test
    void shouldRefuseAnswersToNothing() {
        send(DONE, 0, 0);
        assertRefused("DONE");
    }

    // The transport's other messages.

    @Test
    void shouldRefuseUnknownKinds() {
        end.channel().send(served(DONE, 0, 0), 99);
        assertRefused("message of the peer's UCX transport makes no sense: kind=99");
    }

    @Test
    void shouldRefuseLongSignals() {
        TransportMessage message = end.channel().take();
        message.signal(1);
        message.length = 24;
        end.channel().send(message, TransportMessage.SIGNAL);
        assertRefused("makes no sense: kind=" + TransportMessage.SIGNAL + ", length=24 bytes");
        assertTrue(victimHost.signals.isEmpty());
    }

    @Test
    void shouldRefuseOversizeMessages() {
        MemorySegment big = arena.allocate(2L * TransportMessage.CAPACITY);
        hostile.send(end.state().handle(), big, big.byteSize(), TransportMessage.tag(TransportMessage.SERVED, 3));
        assertRefused("message of the peer's UCX transport is too long: length=" + big.byteSize());
    }

    @Test
    void shouldReturnEachMessageToThePoolOnce() {
        try (RawNode another = RawNode.withEagerMax(64)) {
            long endpoint = another.endpoint(victim);
            another.send(endpoint, arena.allocate(8), 8, STRAY);
            progress(another, () -> false);
            // UCX takes in more at once, the more it finds.
            for (int i = 0; i < 40; i++) {
                another.send(endpoint, arena.allocate(8), 8, STRAY);
            }
            // By rendezvous, so that several have begun to arrive when the first one fails the endpoint.
            MemorySegment message = arena.allocate(4096);
            for (int i = 0; i < 8; i++) {
                another.send(endpoint, message, message.byteSize(), TransportMessage.tag(99, 3));
            }
            progress(another, () -> false);
            assertRefused("message of the peer's UCX transport makes no sense: kind=99");
            victimEnd.channel().close();
            assertPoolIsSound();
        }
    }

    private void assertPoolIsSound() {
        Set<TransportMessage> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 100; i++) {
            assertTrue(taken.add(victimEnd.channel().take()), "the pool has one message twice");
        }
        taken.forEach(victimEnd.channel()::giveBack);
    }

    @Test
    void shouldDropMessagesForEndpointsThatThereAreNot() {
        RawHost astray = new RawHost(5, 60_000, true);
        UcxEndpoint other = hostile.connect(astray, victim.worker.address());
        progressUntil(() -> end.isReady());
        other.begin();
        other.channel().send(served(PUT, ANSWERED, 8, REGION, 0), TransportMessage.SERVED);
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        assertUntouched();
        other.close();
    }

    @Test
    void shouldDropMessagesBeforeTheirEndpointBegins() {
        RawHost beginning = new RawHost(8, 9, true);
        UcxEndpoint second = victim.connect(beginning, hostile.worker.address());
        TransportMessage message = served(PUT, ANSWERED, 8, REGION, 0);
        hostile.send(
                end.state().handle(), message.memory, message.length, TransportMessage.tag(TransportMessage.SERVED, 8));
        hostile.send(end.state().handle(), message.memory, 8, 8L << TagChannel.SOURCE_SHIFT | 1);
        progressUntil(() -> false);
        assertNull(beginning.failure);
        assertEquals(0, beginning.messages);
        second.close();
        end.channel().giveBack(message);
    }

    // Active messages.

    private void sendActive(int kind, int headerLength, long length) {
        MemorySegment bytes = arena.allocate(Math.max(length, 1));
        long tag = TransportMessage.tag(kind, 3) | (long) (headerLength << 8 | 5) << 16;
        hostile.send(end.state().handle(), bytes, length, tag);
    }

    @Test
    void shouldTakeAnHonestActiveMessage() {
        sendActive(TransportMessage.ACTIVE, 8, 100);
        sendActive(TransportMessage.ACTIVE_HEADER, 20, 20);
        sendActive(TransportMessage.ACTIVE_PAYLOAD, 20, 128 << 10);
        progressUntil(() -> !victimHost.headers.isEmpty());
        assertNull(victimHost.failure);
        assertEquals(2, victimHost.messages);
        assertEquals(20, victimHost.headers.getFirst().length);
    }

    @Test
    void shouldRefuseAHeaderLongerThanItsMessage() {
        sendActive(TransportMessage.ACTIVE, 9, 8);
        assertRefused("active message out of range: number=5, headerLength=9, length=8");
    }

    @Test
    void shouldRefuseAHeaderOfAnotherLength() {
        sendActive(TransportMessage.ACTIVE_HEADER, 9, 8);
        assertRefused("header of an active message makes no sense: headerLength=9, length=8 bytes");
    }

    @Test
    void shouldRefuseAHeaderThatIsTooLong() {
        sendActive(TransportMessage.ACTIVE_HEADER, 129, 129);
        assertRefused("header of an active message makes no sense: headerLength=129, length=129 bytes");
    }

    @Test
    void shouldRefuseTwoHeadersWithOnePayload() {
        sendActive(TransportMessage.ACTIVE_HEADER, 8, 8);
        sendActive(TransportMessage.ACTIVE_HEADER, 8, 8);
        assertRefused("header of an active message makes no sense");
    }

    @Test
    void shouldRefuseAPayloadWithoutItsHeader() {
        sendActive(TransportMessage.ACTIVE_PAYLOAD, 8, 128 << 10);
        assertRefused("payload of an active message without its header");
        assertTrue(victimHost.headers.isEmpty());
    }

    @Test
    void shouldRefuseAShortPayloadBehindAHeader() {
        sendActive(TransportMessage.ACTIVE_HEADER, 8, 8);
        sendActive(TransportMessage.ACTIVE_PAYLOAD, 8, 100);
        assertRefused("active message out of range: number=5, headerLength=8, length=100");
    }

    // Batches.

    /** Sends a batch of that length, whose words are given. */
    private void sendBatch(long length, long... words) {
        MemorySegment bytes = arena.allocate(Math.max(length, 8L * words.length), 8);
        MemorySegment.copy(words, 0, bytes, ValueLayout.JAVA_LONG, 0, words.length);
        hostile.send(end.state().handle(), bytes, length, TransportMessage.tag(TransportMessage.BATCH, 3));
    }

    private static long record(int kind, int length) {
        return Batch.word(kind, 0, 0) | Integer.toUnsignedLong(length);
    }

    @Test
    void shouldTakeAnHonestBatch() {
        victimHost.room = arena.allocate(64);
        sendBatch(56, 0, record(Batch.TAGGED, 8), 5, 77, record(Batch.ACTIVE, 4), 0, 78);
        progressUntil(() -> victimHost.received.size() == 2);
        assertNull(victimHost.failure);
        assertEquals(List.of(8L, 4L), victimHost.received);
        assertEquals(77, victimHost.room.get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    void shouldRefuseRecordsBeyondTheirBatch() {
        sendBatch(32, 0, record(Batch.TAGGED, 9), 5, 77);
        assertRefused("record of the peer's UCX transport makes no sense: kind=1, length=9, offset=8, batch=32 bytes");
    }

    @Test
    void shouldRefuseRecordsOfNegativeLength() {
        sendBatch(32, 0, record(Batch.TAGGED, -8), 5, 77);
        assertRefused("kind=1, length=-8, offset=8, batch=32 bytes");
    }

    @Test
    void shouldRefuseRecordsThatAreCutOff() {
        sendBatch(20, 0, record(Batch.TAGGED, 0), 5);
        assertRefused("kind=0, length=0, offset=8, batch=20 bytes");
    }

    @Test
    void shouldRefuseRecordsOfUnknownKinds() {
        sendBatch(24, 0, record(3, 0), 5);
        assertRefused("kind=3, length=0, offset=8, batch=24 bytes");
    }

    @Test
    void shouldRefuseBatchesWithoutCounts() {
        sendBatch(7, 0);
        assertRefused("batch of messages makes no sense: length=7 bytes");
    }

    @Test
    void shouldRefuseBatchesThatAreTooLong() {
        sendBatch(TransportMessage.CAPACITY + 8L, 0);
        assertRefused("batch of messages makes no sense: length=" + TransportMessage.CAPACITY + " bytes");
    }

    @Test
    void shouldRefuseBatchesBehindMessagesThatWereNotSent() {
        sendBatch(32, 1L << 32 | 2, record(Batch.TAGGED, 8), 5, 77);
        assertRefused("batch of messages names others that were not sent: tagged=2, others=1");
    }

    @Test
    void shouldRefuseBatchesThatForgetEarlierMessages() {
        victimHost.room = arena.allocate(64);
        hostile.send(end.state().handle(), arena.allocate(8), 8, 3L << TagChannel.SOURCE_SHIFT | 1);
        progressUntil(() -> victimHost.messages == 1);
        sendBatch(32, 0, record(Batch.TAGGED, 8), 5, 77);
        assertRefused("batch of messages names others that were not sent: tagged=-1, others=0");
    }

    @Test
    void shouldDropBatchesForEndpointsThatThereAreNot() {
        MemorySegment bytes = arena.allocate(32, 8);
        for (int i = 0; i < 100; i++) {
            hostile.send(end.state().handle(), bytes, 32, TransportMessage.tag(TransportMessage.BATCH, 60_000));
        }
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        victimHost.room = arena.allocate(64);
        sendBatch(32, 0, record(Batch.TAGGED, 8), 5, 77);
        progressUntil(() -> victimHost.messages == 1);
        assertEquals(1, victimHost.messages);
    }

    /** The victim and one other make progress. */
    private void progress(RawNode peer, BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            int events = peer.worker.progress() + victim.worker.progress();
            idle = events > 0 ? 0 : idle + 1;
        }
    }

    /** The lie is told, and the victim gives up the endpoint for it. */
    private void assertRefused(String message) {
        progressUntil(() -> victimHost.failure != null);
        FairleadException failure = victimHost.failure;
        assertNotNull(failure, "the victim has noticed nothing");
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure::getMessage);
        assertUntouched();
    }

    private void assertUntouched() {
        assertEquals(-1, region.mismatch(canaries()));
        assertOutsideUntouched();
    }

    private void assertOutsideUntouched() {
        assertEquals(-1, whole.asSlice(0, SIZE).mismatch(canaries()));
        assertEquals(-1, whole.asSlice(2L * SIZE, SIZE).mismatch(canaries()));
    }

    private MemorySegment canaries() {
        return arena.allocate(SIZE).fill(CANARY);
    }

    private void put(long number, long offset, int data) {
        send(PUT, ANSWERED, data, number, offset);
    }

    private void send(int kind, int flags, int data, long... words) {
        end.channel().send(served(kind, flags, data, words), TransportMessage.SERVED);
    }

    /** A message of served memory, and so many zeroes behind it. */
    private TransportMessage served(int kind, int flags, int data, long... words) {
        TransportMessage message = end.channel().take();
        message.memory.set(ValueLayout.JAVA_LONG, 0, kind | (long) flags << 8 | (long) data << 32);
        for (int i = 0; i < words.length; i++) {
            message.memory.setAtIndex(ValueLayout.JAVA_LONG, i + 1L, words[i]);
        }
        message.length = Long.BYTES * (1 + words.length);
        message.memory.asSlice(message.length, data).fill((byte) 0);
        message.length += data;
        return message;
    }

    /** Both workers make progress until something has come true, or nothing more can be on its way. */
    private void progressUntil(BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            int events = hostile.worker.progress() + victim.worker.progress();
            idle = events > 0 ? 0 : idle + 1;
        }
    }
}
