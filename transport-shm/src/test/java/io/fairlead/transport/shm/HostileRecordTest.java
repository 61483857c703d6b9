package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.FairleadException;
import io.fairlead.testkit.internal.FakeOperation;
import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Records and positions in rings that make no sense. */
final class HostileRecordTest extends HostilePeerCases {
    @Test
    void shouldRefuseRecordsThatMakeNoSense() {
        Ring.MEMORY.set(JAVA_LONG, ring() + Ring.RECORDS_AT, 0x4444L);
        assertRefused("record in the peer's ring makes no sense: kind=68, length=68 bytes");
    }

    @Test
    void shouldRefuseARecordOfEveryKindThatIsTooLong() {
        for (int kind : new int[] {Ring.MESSAGE, Ring.MORE, Ring.PART, Ring.SERVED, Ring.ACTIVE}) {
            RawHost host = new RawHost(20 + kind, 30 + kind, false);
            ShmEndpoint other = (ShmEndpoint) victim.connect(host, hostile.address(), connection);
            long record = other.ringAddress() + Ring.RECORDS_AT;
            other.begin();
            Ring.publish(record, (Ring.PAYLOAD_MAX + 1L) << Ring.KIND_BITS | kind);
            progressUntil(() -> host.failure != null);
            FairleadException failure = Objects.requireNonNull(host.failure, "kind " + kind);
            assertTrue(
                    String.valueOf(failure.getMessage()).contains("makes no sense: kind=" + kind), failure::getMessage);
            other.close();
        }
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
        for (int i = 0; i < 8; i++) {
            assertTrue(victimEnd.send(message(Ring.PAYLOAD_MAX)));
            Ring.publishPosition(fromVictim, position);
        }
        assertRefused("reader's position in a ring makes no sense: " + message);
    }

    @Test
    void shouldRefusePartsOfNothing() {
        writeRecord(Ring.MORE, 8, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.MORE + ", length=8 bytes");
    }

    @Test
    void shouldRefuseABeginningOfMoreThanIsEager() {
        assertTrue(toVictim.tryClaim(Ring.PAYLOAD_MAX));
        toVictim.publish(Ring.FIRST, victimHost.eagerMax() + 1L, 0, Ring.PAYLOAD_MAX);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.FIRST);
    }

    @Test
    void shouldRefuseAHeaderLongerThanItsMessage() {
        writeActive(Ring.ACTIVE, 8, Ring.target(5, 9), 8);
        assertRefused("active message out of range: number=5, headerLength=9, length=8");
    }

    @Test
    void shouldRefuseANegativeHeader() {
        writeActive(Ring.ACTIVE, 8, Ring.target(5, -1), 8);
        assertRefused("active message out of range: number=5, headerLength=-1, length=8");
    }

    @Test
    void shouldRefuseABeginningOfMoreThanAnEagerActiveMessage() {
        long length = victimHost.eagerMax() + 129L;
        writeActive(Ring.ACTIVE_FIRST, length, Ring.target(5, 128), Ring.PAYLOAD_MAX);
        assertRefused("active message out of range: number=5, headerLength=128, length=" + length);
    }

    @Test
    void shouldRefuseABeginningOfAShortActiveMessage() {
        writeActive(Ring.ACTIVE_FIRST, Ring.PAYLOAD_MAX, Ring.target(5, 8), Ring.PAYLOAD_MAX);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.ACTIVE_FIRST);
    }

    @Test
    void shouldRefuseABeginningInsideOfAnActiveMessage() {
        writeActive(Ring.ACTIVE_FIRST, Ring.PAYLOAD_MAX + 100, Ring.target(5, 8), Ring.PAYLOAD_MAX);
        writeActive(Ring.ACTIVE_FIRST, Ring.PAYLOAD_MAX + 100, Ring.target(5, 8), Ring.PAYLOAD_MAX);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.ACTIVE_FIRST);
        assertTrue(victimHost.received.isEmpty());
    }

    @Test
    void shouldRefuseMoreOfAnActiveMessageThanItHas() {
        writeActive(Ring.ACTIVE_FIRST, Ring.PAYLOAD_MAX + 100, Ring.target(5, 8), Ring.PAYLOAD_MAX);
        writeRecord(Ring.MORE, 101, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.MORE + ", length=101 bytes");
        assertTrue(victimHost.received.isEmpty());
    }

    @Test
    void shouldRefuseAnAnnouncedHeaderThatIsTooLong() {
        writeActive(Ring.ACTIVE_ANNOUNCEMENT, 128 << 10, Ring.target(5, 129), Ring.ACTIVE_ANNOUNCEMENT_PAYLOAD);
        assertRefused("active message out of range: number=5, headerLength=129");
    }

    @Test
    void shouldTakeAnHonestActiveMessage() {
        writeActive(Ring.ACTIVE, 100, Ring.target(5, 8), 100);
        writeActive(Ring.ACTIVE_ANNOUNCEMENT, 128 << 10, Ring.target(5, 128), Ring.ACTIVE_ANNOUNCEMENT_PAYLOAD);
        progressUntil(() -> !victimHost.headers.isEmpty());
        assertNull(victimHost.failure);
        assertEquals(List.of(100L), victimHost.received);
        assertEquals(128, victimHost.headers.getFirst().length);
    }

    private void writeActive(int kind, long length, long target, int payload) {
        assertTrue(toVictim.tryClaim(payload));
        toVictim.publish(kind, length, target, payload);
    }

    @Test
    void shouldRefusePartsOfMessagesThatWereNotAskedFor() {
        writeRecord(Ring.PART, 8, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.PART + ", length=8 bytes");
    }

    @Test
    void shouldRefusePartsBeyondWhatWasAskedFor() {
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
        writeRecord(Ring.WANTED, 8, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.WANTED + ", length=8 bytes");
    }

    @Test
    void shouldRefuseAnswersToWhatItNeverAnnounced() {
        writeRecord(Ring.TAKEN, 0, Long.MAX_VALUE);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.TAKEN);
    }

    @Test
    void shouldRefuseAnswersToMessagesThatWereNotAnnounced() {
        assertTrue(victimEnd.send(message(64)));
        writeRecord(Ring.TAKEN, 0, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.TAKEN);
    }

    @Test
    void shouldRefuseToSendMoreThanALongMessage() {
        assertTrue(victimEnd.send(message(128 << 10)));
        writeRecord(Ring.WANTED, (128 << 10) + 1, 0);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.WANTED + ", length=131073 bytes");
    }

    @Test
    void shouldSurviveAnAddressThatThereIsNot() {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        victimHost.room = arena.allocate(128 << 10);
        announce(128 << 10, 0x10);
        progressUntil(() -> victimHost.failure != null || !victimHost.received.isEmpty());
        assertNull(victimHost.failure);
        assertTrue(victimHost.received.isEmpty());
        // It is asked for the message in parts, as a sender that may not be read.
        for (int written = 0; written < 128 << 10; written += SIZE) {
            writeRecord(Ring.PART, SIZE, 0);
            int before = written;
            progressUntil(
                    () -> victimHost.failure != null || before + SIZE == 128 << 10 && !victimHost.received.isEmpty());
        }
        assertNull(victimHost.failure);
        assertEquals(List.of(128L << 10), victimHost.received);
    }

    @Test
    void shouldRefuseToBeLentMoreThanIsEager() {
        lend(victimHost.eagerMax() + 1L, 0x10);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.SINGLE_COPY);
    }

    @Test
    void shouldRefuseToBeLentNothing() {
        lend(0, 0x10);
        assertRefused("record in the peer's ring makes no sense: kind=" + Ring.SINGLE_COPY + ", length=0 bytes");
    }

    @Test
    void shouldTakeNoMoreOfALentMessageThanThereIsRoomFor() {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        MemorySegment room = arena.allocate(64);
        victimHost.room = room.asSlice(0, 32);
        MemorySegment lent = arena.allocate(16 << 10).fill((byte) 1);
        lend(16 << 10, lent.address());
        progressUntil(() -> victimHost.failure != null || !victimHost.received.isEmpty());
        assertNull(victimHost.failure);
        assertEquals(List.of(16L << 10), victimHost.received);
        assertEquals(32, room.mismatch(lent.asSlice(0, 64)));
    }

    @Test
    void shouldSurviveALentAddressThatThereIsNot() {
        victimHost.room = arena.allocate(16 << 10);
        lend(16 << 10, 0x10);
        progressUntil(() -> victimHost.failure != null || !victimHost.received.isEmpty());
        assertNull(victimHost.failure);
        assertTrue(victimHost.received.isEmpty());
        writeRecord(Ring.PART, SIZE, 0);
        progressUntil(() -> false);
        assertNull(victimHost.failure);
    }

    @Test
    void shouldBoundMessagesWithoutAnswersOfAPeerThatReadsNothing() {
        assumeTrue(ProcessRead.attempt() == 0, "the kernel lets nobody read another's memory");
        victimHost.room = arena.allocate(32);
        MemorySegment lent = arena.allocate(32);
        // Each answer stays in a ring that nobody reads, or waits for room there.
        for (int i = 0; victimHost.failure == null && i < 4 * RendezvousIn.OPEN_MAX; i++) {
            lend(32, lent.address());
            victim.progress();
        }
        assertRefused("peer announces more messages than it has read answers for: unanswered=" + RendezvousIn.OPEN_MAX
                + ", allowed " + RendezvousIn.OPEN_MAX);
    }

    private long ring() {
        return toVictim.memory().address() - Ring.RECORDS_AT;
    }

    /** Writes a record without payload, or with one of zeroes, as the hostile peer's next. */
    private void writeRecord(int kind, long length, long tag) {
        int payload = kind == Ring.PART || kind == Ring.MORE ? (int) length : 0;
        assertTrue(toVictim.tryClaim(payload));
        toVictim.publish(kind, length, tag, payload);
    }

    private void announce(long length, long address) {
        announce(Ring.ANNOUNCEMENT, length, address);
    }

    private void lend(long length, long address) {
        announce(Ring.SINGLE_COPY, length, address);
    }

    private void announce(int kind, long length, long address) {
        assertTrue(toVictim.tryClaim(Ring.ANNOUNCEMENT_PAYLOAD));
        toVictim.number(0, 0);
        toVictim.number(Long.BYTES, address);
        toVictim.publish(kind, length, 1, Ring.ANNOUNCEMENT_PAYLOAD);
    }

    private FakeOperation message(int length) {
        return FakeOperation.over(arena.allocate(length)).tag(1);
    }
}
