package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.ConnectionToken;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
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
    // Kinds and flags of messages of remote memory, as they are on the wire.
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
    private RingWriter hostileRing;
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
        progressUntil(() -> victimEnd.made());
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
    void shouldRefuseOffsetsThatOverflow() {
        put(REGION, Long.MAX_VALUE, 8);
        assertRefused("put exceeds memory region: offset=" + Long.MAX_VALUE);
    }

    @Test
    void shouldRefusePutsOfMoreThanWasSent() {
        end.send(message(PUT, 0, 64, 8, REGION, 0), Note.REQUEST);
        assertRefused("message=PUT, length=32, allowed 88 bytes");
    }

    @Test
    void shouldRefusePutsWithoutTheRight() {
        put(READ_ONLY, 0, 8);
        assertRefused("put on a region without WRITE");
    }

    @Test
    void shouldRefuseGetsBeyondTheRegion() {
        get(REGION, SIZE - 7, 8);
        assertRefused("get exceeds memory region");
    }

    @Test
    void shouldRefuseGetsThatFitNoAnswer() {
        get(REGION, 0, MemoryNotes.DATA_MAX + 1L);
        assertRefused("get of a wrong length: length=" + (MemoryNotes.DATA_MAX + 1));
    }

    @Test
    void shouldRefuseNegativeLengths() {
        get(REGION, 0, -1);
        assertRefused("get of a wrong length: length=-1");
    }

    @Test
    void shouldRefuseAtomicsBeyondTheRegion() {
        atomic(REGION, SIZE);
        assertRefused("atomic exceeds memory region: offset=4096");
    }

    @Test
    void shouldRefuseAtomicsAcrossWords() {
        atomic(REGION, 4);
        assertRefused("atomic is not aligned: offset=4");
    }

    @Test
    void shouldRefuseAtomicsWithoutTheRight() {
        atomic(READ_ONLY, 0);
        assertRefused("atomic on a region without ATOMIC");
    }

    @Test
    void shouldRefuseUnknownActions() {
        end.send(message(77, 0, 8, 8, REGION, 0), Note.REQUEST);
        assertRefused("message=unknown, kind=77");
    }

    @Test
    void shouldRefuseToKeepAnswersThatNobodyReads() {
        progressUntil(() -> end.ready() && victimEnd.ready());
        for (int asked = 0; asked < 10_000 && victimHost.failure == null; asked++) {
            get(REGION, 0, SIZE);
            int events = victim.worker.progress();
            assertTrue(events >= 0);
        }
        assertRefused("the peer asks and does not read the answers: unread=64, allowed 64");
    }

    @Test
    void shouldAnswerAsMuchAsAPeerMayAsk() {
        progressUntil(() -> end.ready() && victimEnd.ready());
        // As far as its own side knows the hostile peer asked for nothing, so that it stops at the first answer.
        for (int asked = 0; asked < MemoryNotes.WINDOW; asked++) {
            get(REGION, 0, SIZE);
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
        assertNull(victimHost.failure);
        assertUntouched();
    }

    @Test
    void shouldRefuseAnswersToNothing() {
        end.send(message(DONE, 0, 0, 0), Note.ANSWER);
        assertRefused("the peer answers what nobody asked: answer=DONE");
    }

    @Test
    void shouldRefuseUnknownKinds() {
        end.send(message(DONE, 0, 0, 0), 99);
        assertRefused("message of the peer's UCX transport makes no sense: kind=99");
    }

    @Test
    void shouldRefuseASecondHello() {
        Note note = end.note();
        note.empty(RawHost.TOKEN);
        end.send(note, Note.HELLO);
        assertRefused("message of the peer's UCX transport makes no sense: kind=" + Note.HELLO);
    }

    @Test
    void shouldDropIntroductionsOfOtherConnections() {
        open();
        for (int kind : new int[] {Note.HELLO, Note.WELCOME, Note.READY}) {
            introduce(kind, new ConnectionToken(RawHost.TOKEN.connector(), 7));
            introduce(kind, new ConnectionToken(7, RawHost.TOKEN.listener()));
        }
        Note cut = end.note();
        cut.empty(RawHost.TOKEN);
        cut.length = 24;
        end.send(cut, Note.HELLO);
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        put(REGION, SIZE - 8, 8);
        progressUntil(() -> region.get(ValueLayout.JAVA_BYTE, SIZE - 1) != CANARY);
        assertNull(victimHost.failure);
    }

    private void introduce(int kind, ConnectionToken token) {
        Note note = end.note();
        note.empty(token);
        end.send(note, kind);
    }

    @Test
    void shouldDropRequestsBeforeTheirEndpointBegins() {
        RawHost beginning = new RawHost(8, 9, true);
        UcxEndpoint second = victim.connect(beginning, hostile.worker.address());
        Note note = message(PUT, 0, 8, 8, REGION, 0);
        Flights flights = hostile.worker.flights();
        Flight flight = flights.take(Flight.Kind.PLAIN, null, new RawOperation(), note.length);
        flights.posted(
                flight,
                Ucp.tagSend(
                        end.handle(),
                        note.memory,
                        0,
                        note.length,
                        Note.tag(Note.REQUEST, 8),
                        flights.plain.of(flight.index)));
        progressUntil(() -> false);
        assertNull(beginning.failure);
        second.close();
    }

    @Test
    void shouldTakeTheProofOfThisConnectionAlone() {
        assumeTrue(new UcxUnderTest().capabilities().contains(Capability.ONE_SIDED), "no memory is shared");
        byte[] proof = end.introduction();
        victimEnd.meet(proof);
        RawHost otherHost = new RawHost(10, 4, false);
        UcxEndpoint other = victim.connect(otherHost, hostile.worker.address());
        for (byte[] wrong : List.of(new byte[0], new byte[proof.length], Arrays.copyOf(proof, proof.length + 1))) {
            assertThrows(FairleadException.class, () -> victimEnd.meet(wrong));
        }
        FairleadException refused = assertThrows(FairleadException.class, () -> other.meet(proof));
        assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
        other.close();
    }

    @Test
    void shouldRefuseCutOffRequests() {
        end.send(message(PUT, 0, 8, 0, REGION, 0), Note.REQUEST);
        assertRefused("message=PUT, length=24, allowed 32 bytes");
    }

    @Test
    void shouldRefuseLongSignals() {
        Note note = end.note();
        note.signal(1);
        note.length = 24;
        end.send(note, Note.SIGNAL);
        assertRefused("makes no sense: kind=" + Note.SIGNAL + ", length=24 bytes");
        assertTrue(victimHost.signals.isEmpty());
    }

    @Test
    void shouldRefuseOversizeNotes() {
        MemorySegment big = arena.allocate(2L * Note.CAPACITY);
        Flight flight = hostile.worker.flights().take(Flight.Kind.PLAIN, end, new RawOperation(), big.byteSize());
        hostile.worker
                .flights()
                .posted(
                        flight,
                        Ucp.tagSend(
                                end.handle(),
                                big,
                                0,
                                big.byteSize(),
                                Note.tag(Note.REQUEST, 3),
                                hostile.worker.flights().plain.of(flight.index)));
        assertRefused("message of the peer's UCX transport is too long: length=" + big.byteSize());
    }

    @Test
    void shouldDropNotesForEndpointsThatThereAreNot() {
        RawHost astray = new RawHost(5, 60_000, true);
        UcxEndpoint other = hostile.connect(astray, victim.worker.address());
        progressUntil(() -> end.ready());
        other.begin();
        Note note = message(PUT, 0, 8, 8, REGION, 0);
        other.send(note, Note.REQUEST);
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        assertUntouched();
        other.close();
    }

    @Test
    void shouldRefuseForgedAddresses() {
        // Over UCX's tcp an address of another host is as good, and cannot be told from a made-up one.
        assumeTrue(new UcxUnderTest().capabilities().contains(Capability.ONE_SIDED), "no memory is shared");
        byte[] genuine = hostile.worker.address();
        Random random = new Random(1);
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= (byte) (1 << random.nextInt(8));
            assertThrows(
                    FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), forged), "changed at " + i);
        }
        for (int length = 0; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), cut));
        }
    }

    @Test
    void shouldNameWhyAnAddressIsRefused() {
        byte[] forged = hostile.worker.address();
        forged[forged.length - 1] ^= 1;
        FairleadException failure =
                assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), forged));
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
        assertEquals("the peer's UCX address was not made by this user on this host", failure.getMessage());
    }

    @Test
    void shouldRefuseForgedKeys() {
        assumeTrue(new UcxUnderTest().capabilities().contains(Capability.ONE_SIDED), "no memory is mapped");
        byte[] genuine = new RegionKey(0x7f00_0000_0000L, SIZE, new byte[44], new byte[24]).encode();
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            FairleadException failure =
                    assertThrows(FairleadException.class, () -> end.unpack(forged, REGION, SIZE), "changed at " + i);
            assertEquals(Reason.MALFORMED_KEY, failure.reason());
        }
    }

    // Rings.

    @Test
    void shouldRefuseRecordsThatMakeNoSense() {
        open();
        Ring.MEMORY.set(ValueLayout.JAVA_LONG, victimRing() + Ring.RECORDS_AT, 0x4444L);
        assertRefused("record in the peer's ring makes no sense: kind=68, length=68 bytes");
    }

    @Test
    void shouldRefuseAReaderThatIsAheadOfTheWriter() {
        assertRefusedPosition(1 << 20, "position=1048576, allowed 0 to ");
    }

    @Test
    void shouldRefuseAReaderBeforeTheBeginning() {
        assertRefusedPosition(-16, "position=-16, allowed 0 to ");
    }

    @Test
    void shouldRefuseAReaderBetweenRecords() {
        assertRefusedPosition(8, "position=8, allowed 0 to ");
    }

    /** The victim fills the hostile peer's ring, and is told a place where its reader cannot be. */
    private void assertRefusedPosition(long position, String message) {
        open();
        long base = firstRing(hostile);
        for (int i = 0; i < 8; i++) {
            assertTrue(victimEnd.send(message(Ring.PAYLOAD_MAX)));
            Ring.WORD.setRelease(Ring.MEMORY, base, position);
        }
        for (int turn = 0; turn < TURNS && victimHost.failure == null; turn++) {
            assertTrue(victim.worker.progress() >= 0);
        }
        assertRefused("reader's position in a ring makes no sense: " + message);
    }

    @Test
    void shouldRefuseAReaderThatGoesBack() {
        open();
        RingWriter ring = new RingWriter(firstRing(hostile));
        Ring.WORD.setRelease(Ring.MEMORY, firstRing(hostile), 0L);
        int records = 0;
        while (ring.claim(Ring.PAYLOAD_MAX)) {
            ring.publish(Ring.MESSAGE, Ring.PAYLOAD_MAX, 0, Ring.PAYLOAD_MAX);
            records++;
        }
        assertFalse(ring.deceived(), "the ring was full");
        Ring.WORD.setRelease(Ring.MEMORY, firstRing(hostile), (long) Ring.span(Ring.PAYLOAD_MAX) * records);
        assertTrue(ring.claim(Ring.PAYLOAD_MAX));
        Ring.WORD.setRelease(Ring.MEMORY, firstRing(hostile), 0L);
        while (ring.claim(Ring.PAYLOAD_MAX)) {
            ring.publish(Ring.MESSAGE, Ring.PAYLOAD_MAX, 0, Ring.PAYLOAD_MAX);
        }
        assertTrue(ring.deceived(), "the reader went back");
    }

    @Test
    void shouldRefusePartsOfNothing() {
        open();
        Ring.MEMORY.set(ValueLayout.JAVA_LONG, victimRing() + Ring.RECORDS_AT, 8L << Ring.KIND_BITS | Ring.MORE);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.MORE + ", length=8 bytes");
    }

    @Test
    void shouldRefusePartsOfMessagesThatWereNotAskedFor() {
        open();
        writeRecord(Ring.PART, 8, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.PART + ", length=8 bytes");
    }

    @Test
    void shouldRefusePartsBeyondWhatWasAskedFor() {
        open();
        MemorySegment room = arena.allocate(64);
        victimHost.room = room.asSlice(0, 32);
        announce(64, 0);
        progressUntil(() -> false);
        assertNull(victimHost.failure);
        writeRecord(Ring.PART, 40, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.PART + ", length=40 bytes");
        assertTrue(victimHost.received.isEmpty());
        assertEquals(-1, room.mismatch(arena.allocate(64)));
    }

    @Test
    void shouldRefuseToBeAskedForWhatItNeverAnnounced() {
        open();
        writeRecord(Ring.WANTED, 8, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.WANTED + ", length=8 bytes");
    }

    @Test
    void shouldRefuseAnswersToWhatItNeverAnnounced() {
        open();
        writeRecord(Ring.TAKEN, 0, Long.MAX_VALUE);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.TAKEN);
    }

    @Test
    void shouldRefuseAnswersToMessagesThatWereNotAnnounced() {
        open();
        assertTrue(victimEnd.send(message(64)));
        writeRecord(Ring.TAKEN, 0, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.TAKEN);
    }

    @Test
    void shouldRefuseToSendMoreThanALongMessage() {
        open();
        assertTrue(victimEnd.send(message(128 << 10)));
        writeRecord(Ring.WANTED, (128 << 10) + 1, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.WANTED + ", length=131073 bytes");
    }

    @Test
    void shouldSurviveAnAddressThatThereIsNot() {
        open();
        assumeTrue(victim.worker.rings().memory() != null, "the kernel lets nobody read another's memory");
        victimHost.room = arena.allocate(128 << 10);
        announce(128 << 10, 0x10);
        progressUntil(() -> victimHost.failure != null);
        FairleadException failure = assertNotNullFailure();
        assertEquals(Reason.PEER_LOST, failure.reason());
        assertTrue(
                String.valueOf(failure.getMessage()).contains("its memory cannot be read any more: errno=14"),
                failure::getMessage);
        assertTrue(victimHost.received.isEmpty());
    }

    /** Writes a record without payload, or with one of zeroes, as the hostile peer's next. */
    private void writeRecord(int kind, long length, long tag) {
        int payload = kind == Ring.PART ? (int) length : 0;
        RingWriter ring = hostileRing();
        assertTrue(ring.claim(payload));
        ring.publish(kind, length, tag, payload);
    }

    private void announce(long length, long address) {
        RingWriter ring = hostileRing();
        assertTrue(ring.claim(Ring.ANNOUNCEMENT_PAYLOAD));
        ring.number(0, 0);
        ring.number(Long.BYTES, address);
        ring.publish(Ring.ANNOUNCEMENT, length, 1, Ring.ANNOUNCEMENT_PAYLOAD);
    }

    /** The end of the victim's ring that the hostile peer writes to. */
    private RingWriter hostileRing() {
        if (hostileRing == null) {
            hostileRing = new RingWriter(victimRing());
        }
        return hostileRing;
    }

    @Test
    void shouldDropMessagesUnderTheNumberOfAnothersEndpoint() {
        open();
        RawNode stranger = new RawNode();
        long handle = stranger.endpoint(victim);
        Flights flights = stranger.worker.flights();
        MemorySegment lie = arena.allocate(8);
        Flight flight = flights.take(Flight.Kind.PLAIN, null, new RawOperation(), 8);
        flights.posted(flight, Ucp.tagSend(handle, lie, 0, 8, 3L << 48 | 1, flights.plain.of(flight.index)));
        for (int turn = 0; turn < TURNS; turn++) {
            int events = stranger.worker.progress() + victim.worker.progress();
            assertTrue(events >= 0);
        }
        assertEquals(0, victimHost.messages);
        assertNull(victimHost.failure);
        Ucp.closeEndpoint(handle);
        stranger.close();
    }

    @Test
    void shouldRefuseToBeToldTwice() {
        open();
        Note note = end.note();
        note.empty(RawHost.TOKEN);
        end.send(note, Note.READY);
        assertRefused("makes no sense: kind=" + Note.READY);
    }

    @Test
    void shouldRefuseAWelcomeFromTheSideThatLeads() {
        Note note = end.note();
        note.empty(RawHost.TOKEN);
        end.send(note, Note.WELCOME);
        assertRefused("makes no sense: kind=" + Note.WELCOME);
    }

    @Test
    void shouldRefuseForgedRings() {
        open();
        RingSlots.Slot slot =
                Objects.requireNonNull(victim.worker.rings().slots().take());
        Rings rings = new Rings(hostile.worker.rings(), end, hostileHost);
        byte[] genuine = slot.key();
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            Note note = end.note();
            note.empty(RawHost.TOKEN);
            note.ring(slot.index(), forged);
            assertThrows(FairleadException.class, () -> rings.accept(note), "changed at " + i);
            hostile.worker.giveBack(note);
        }
        Note note = end.note();
        note.empty(RawHost.TOKEN);
        note.ring(1000, genuine);
        assertFalse(rings.accept(note), "a ring that there is not");
        hostile.worker.giveBack(note);
        victim.worker.rings().slots().giveBack(slot);
    }

    /** Both sides write to rings. */
    private void open() {
        assumeTrue(new UcxUnderTest().capabilities().contains(Capability.ONE_SIDED), "no memory is shared");
        assumeTrue(victim.worker.hasRings(), "there are no rings");
        progressUntil(() -> false);
        assertNull(victimHost.failure);
    }

    /** The first ring that the victim has: that of its only endpoint. */
    private long victimRing() {
        return firstRing(victim);
    }

    private static long firstRing(RawNode node) {
        RingSlots.Slot next = Objects.requireNonNull(node.worker.rings().slots().take());
        long first = next.address() - (long) next.index() * Ring.SIZE;
        node.worker.rings().slots().giveBack(next);
        return first;
    }

    private RawOperation message(int length) {
        return new RawOperation(arena.allocate(length), 1);
    }

    /** The lie is told, and the victim gives up the endpoint for it. */
    private void assertRefused(String message) {
        progressUntil(() -> victimHost.failure != null);
        FairleadException failure = assertNotNullFailure();
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure::getMessage);
        assertUntouched();
    }

    private FairleadException assertNotNullFailure() {
        assertNotNull(victimHost.failure, "the victim has noticed nothing");
        return victimHost.failure;
    }

    private void assertUntouched() {
        for (long i = 0; i < region.byteSize(); i++) {
            assertEquals(CANARY, region.get(ValueLayout.JAVA_BYTE, i));
        }
        assertOutsideUntouched();
    }

    private void assertOutsideUntouched() {
        for (long i = 0; i < SIZE; i++) {
            assertEquals(CANARY, whole.get(ValueLayout.JAVA_BYTE, i));
            assertEquals(CANARY, whole.get(ValueLayout.JAVA_BYTE, 2L * SIZE + i));
        }
    }

    /** A message of remote memory that says it has so many bytes of data, and has others. */
    private Note message(int kind, int flags, long said, int sent, long... words) {
        Note note = end.note();
        note.memory.set(ValueLayout.JAVA_LONG, 0, kind | (long) flags << 8 | said << 32);
        for (int i = 0; i < words.length; i++) {
            note.memory.set(ValueLayout.JAVA_LONG, 8L * (i + 1), words[i]);
        }
        note.length = 8 * (words.length + 1) + sent;
        return note;
    }

    private void put(long number, long offset, int length) {
        end.send(message(PUT, ANSWERED, length, length, number, offset), Note.REQUEST);
    }

    private void get(long number, long offset, long length) {
        end.send(message(GET, 0, 0, 0, number, offset, length), Note.REQUEST);
    }

    private void atomic(long number, long offset) {
        end.send(message(ATOMIC, 0, 0, 0, number, offset, 1, 0), Note.REQUEST);
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
