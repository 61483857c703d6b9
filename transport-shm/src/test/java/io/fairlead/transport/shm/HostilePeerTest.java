package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.TransportSetup;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A process of this user that says what no peer of ours would: every lie is refused with its reason, and nothing outside a region that it was given
 * is read or written.
 */
@Timeout(60)
final class HostilePeerTest {
    private static final long REGION = 7;
    private static final long READ_ONLY = 8;
    private static final RegionProof PROOF = new RegionProof(REGION, 1, 2);
    private static final int SIZE = 4096;
    private static final byte CANARY = 0x5A;
    private static final int TURNS = 2000;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /** Kinds of messages of served memory. */
    private static final int PUT = 1;

    private static final int GET = 2;
    private static final int ATOMIC = 3;
    private static final int DONE = 5;

    private final Arena arena = Arena.ofConfined();
    /** A region with the victim's own memory on both sides. */
    private final MemorySegment whole = arena.allocate(3L * SIZE, 8);

    private final MemorySegment region = whole.asSlice(SIZE, SIZE);
    private final RawHost victimHost = new RawHost(3, 4, false);
    private final RawHost hostileHost = new RawHost(4, 3, true);
    private final Connection connection = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (_, method, _) -> {
                throw new IllegalStateException("the control connection is the core's: " + method);
            });
    private ShmTransport transport;
    private ShmWorker victim;
    private ShmWorker hostile;
    private ShmEndpoint victimEnd;
    /** The hostile side's endpoint is only there to be written to; what it says it says by hand. */
    private ShmEndpoint end;
    /** The ring that the victim reads, and the one that it writes to. */
    private MemoryFile mapped;

    private RingWriter toVictim;
    private MemoryFile mappedBack;
    private long fromVictim;

    @BeforeEach
    void connect() throws IOException {
        whole.fill(CANARY);
        transport = new ShmTransport(new TransportSetup(FairleadConfig.defaults(), 1));
        victim = new ShmWorker(ReachProbe.create(), true);
        hostile = new ShmWorker(ReachProbe.create(), true);
        victimHost.region(REGION, region, EnumSet.allOf(AccessRight.class));
        victimHost.region(READ_ONLY, region, Set.of(AccessRight.READ));
        victimEnd = (ShmEndpoint) victim.connect(victimHost, hostile.address(), connection);
        end = (ShmEndpoint) hostile.connect(hostileHost, victim.address(), connection);
        RingOffer toRead = Objects.requireNonNull(new RingOffer.Sealer(hostileHost).read(victimEnd.wireUpData()));
        mapped = MemoryFile.open(toRead.key(), RingSlots.SLAB_SIZE);
        toVictim = new RingWriter(RingSlots.ringAddress(mapped.address(), toRead.index()));
        RingOffer toWrite = Objects.requireNonNull(new RingOffer.Sealer(victimHost).read(end.wireUpData()));
        mappedBack = MemoryFile.open(toWrite.key(), RingSlots.SLAB_SIZE);
        fromVictim = RingSlots.ringAddress(mappedBack.address(), toWrite.index());
        victimEnd.wireUp(end.wireUpData());
        victimEnd.begin();
    }

    @AfterEach
    void close() {
        end.close();
        victimEnd.close();
        hostile.close();
        victim.close();
        mapped.close();
        mappedBack.close();
        transport.close();
        assertEquals(0, victimHost.holders, "regions that are still held");
        arena.close();
    }

    // Offers, addresses and keys.

    @Test
    void shouldTakeTheOfferOfThisConnectionAlone() {
        byte[] genuine = end.wireUpData();
        RawHost otherHost = new RawHost(10, 4, false);
        ShmEndpoint other = (ShmEndpoint) victim.connect(otherHost, hostile.address(), connection);
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertOfferRefused(other, forged);
        }
        for (int length = 0; length < genuine.length; length++) {
            assertOfferRefused(other, Arrays.copyOf(genuine, length));
        }
        // Overheard on another connection, and sent back to where it came from.
        assertOfferRefused(other, genuine);
        assertOfferRefused(other, other.wireUpData());
        other.close();
        assertLives();
    }

    /** The numbers are the same, but the connection's secret is another. */
    @Test
    void shouldRefuseAnOfferThatIsReplayedOnALaterConnection() {
        byte[] genuine = end.wireUpData();
        RawHost laterHost = new RawHost(3, 4, false, 1);
        ShmEndpoint later = (ShmEndpoint) victim.connect(laterHost, hostile.address(), connection);
        assertOfferRefused(later, genuine);
        RawHost laterPeer = new RawHost(4, 3, true, 1);
        ShmEndpoint other = (ShmEndpoint) hostile.connect(laterPeer, victim.address(), connection);
        later.wireUp(other.wireUpData());
        other.close();
        later.close();
        assertLives();
    }

    /** A peer of a connection has its key, and so can seal what it likes; but it cannot write into the memory of others. */
    @Test
    void shouldRefuseTheRingOfAnotherConnectionWhoeverSealsTheOffer() {
        RawHost laterHost = new RawHost(10, 11, false, 1);
        RawHost laterPeer = new RawHost(11, 10, true, 1);
        ShmEndpoint later = (ShmEndpoint) victim.connect(laterHost, hostile.address(), connection);
        RingOffer.Sealer sealer = new RingOffer.Sealer(laterPeer);
        RingOffer live = Objects.requireNonNull(new RingOffer.Sealer(victimHost).read(end.wireUpData()));
        assertOfferRefused(later, sealer.make(live.key(), live.index()).encode());
        RingOffer own = Objects.requireNonNull(new RingOffer.Sealer(hostileHost).read(victimEnd.wireUpData()));
        assertOfferRefused(later, sealer.make(own.key(), own.index()).encode());
        byte[] otherProcess = ByteBuffer.wrap(live.key().clone()).putLong(0, 1).array();
        assertOfferRefused(later, sealer.make(otherProcess, live.index()).encode());
        later.close();
        assertLives();
    }

    /** The connection that was there before goes on. */
    private void assertLives() {
        request(PUT, REGION, SIZE - 8, 0, 8);
        progressUntil(() -> region.get(JAVA_BYTE, SIZE - 1) != CANARY);
        assertNull(victimHost.failure);
        assertEquals(0, region.get(JAVA_BYTE, SIZE - 1));
    }

    private static void assertOfferRefused(ShmEndpoint endpoint, byte[] offer) {
        FairleadException refused = assertThrows(FairleadException.class, () -> endpoint.wireUp(offer));
        assertEquals(Reason.PROTOCOL_VIOLATION, refused.reason());
    }

    @Test
    void shouldRefuseForgedAddresses() {
        byte[] genuine = hostile.address();
        // Behind the address, where a wrong one only cannot be read, and the number of the process: that of another of
        // its threads names the same files.
        for (int i = 2 * Long.BYTES; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            assertThrows(
                    FairleadException.class,
                    () -> victim.connect(new RawHost(9, 9, true), forged, connection),
                    "changed at " + i);
            assertNull(transport
                    .reach(victim.address(), transport.version(), forged)
                    .pathClass());
        }
        byte[] ofAnother =
                ByteBuffer.wrap(genuine.clone()).putLong(Long.BYTES, 1).array();
        assertNull(transport
                .reach(victim.address(), transport.version(), ofAnother)
                .pathClass());
        for (int length = 0; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> victim.connect(new RawHost(9, 9, true), cut, connection));
            assertNull(
                    transport.reach(victim.address(), transport.version(), cut).pathClass());
        }
        assertNotNull(
                transport.reach(victim.address(), transport.version(), genuine).pathClass());
        assertEquals(
                "shm versions differ: here 2, peer 3",
                transport.reach(victim.address(), "3", genuine).reason());
    }

    @Test
    void shouldNameWhyMemoryOfAnEndedProcessIsNotReached() throws IOException {
        ReachProbe out = ReachProbe.create();
        byte[] address = WorkerAddress.encode(out);
        out.close();
        String reason =
                transport.reach(victim.address(), transport.version(), address).reason();
        assertTrue(reason.startsWith("the listener cannot map the connector's memory: "), reason);
    }

    @Test
    void shouldRefuseForgedKeys() {
        RegisteredMemory own = transport.allocate(SIZE, EnumSet.allOf(AccessRight.class));
        assertNotNull(own);
        byte[] genuine = own.key();
        for (int i = 0; i < genuine.length; i++) {
            byte[] forged = genuine.clone();
            forged[i] ^= 1;
            if (i < Long.BYTES) {
                FairleadException failure =
                        assertThrows(FairleadException.class, () -> end.unpack(forged, PROOF, SIZE), "changed at " + i);
                assertEquals(Reason.MALFORMED_KEY, failure.reason());
            } else {
                assertFalse(end.unpack(forged, PROOF, SIZE) instanceof MappedMemory, "changed at " + i);
            }
        }
        for (int length = 1; length < genuine.length; length++) {
            byte[] cut = Arrays.copyOf(genuine, length);
            assertThrows(FairleadException.class, () -> end.unpack(cut, PROOF, SIZE), "cut to " + length);
        }
        // A length that the file has not is not mapped, whoever says so.
        RemoteMemory longer = end.unpack(genuine, PROOF, 2 * SIZE);
        assertFalse(longer instanceof MappedMemory, "a region that is shorter than its key says");
        RemoteMemory right = end.unpack(genuine, PROOF, SIZE);
        assertInstanceOf(MappedMemory.class, right);
        right.close();
        own.close();
    }

    // Records.

    @Test
    void shouldRefuseRecordsThatMakeNoSense() {
        Ring.MEMORY.set(JAVA_LONG, ring() + Ring.RECORDS_AT, 0x4444L);
        assertRefused("record in the peer's ring makes no sense: kind=68, length=68 bytes");
    }

    @Test
    void shouldRefuseARecordOfEveryKindThatIsTooLong() {
        for (int kind : new int[] {Ring.MESSAGE, Ring.MORE, Ring.PART, Ring.SERVED}) {
            RawHost host = new RawHost(20 + kind, 30 + kind, false);
            ShmEndpoint other = (ShmEndpoint) victim.connect(host, hostile.address(), connection);
            RingOffer offer = Objects.requireNonNull(new RingOffer.Sealer(peerOf(host)).read(other.wireUpData()));
            try (MemoryFile file = MemoryFile.open(offer.key(), RingSlots.SLAB_SIZE)) {
                long record = RingSlots.ringAddress(file.address(), offer.index()) + Ring.RECORDS_AT;
                other.begin();
                Ring.publish(record, (Ring.PAYLOAD_MAX + 1L) << Ring.KIND_BITS | kind);
                progressUntil(() -> host.failure != null);
            } catch (IOException gone) {
                throw new AssertionError(gone);
            }
            FairleadException failure = Objects.requireNonNull(host.failure, "kind " + kind);
            assertTrue(
                    String.valueOf(failure.getMessage()).contains("makes no sense: kind=" + kind), failure::getMessage);
            other.close();
        }
    }

    private static RawHost peerOf(RawHost host) {
        return new RawHost(host.sourceId(), host.id(), !host.isConnector());
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
            Ring.tellPosition(fromVictim, position);
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

    // Served memory.

    @Test
    void shouldServeAnHonestRequest() {
        request(PUT, REGION, SIZE - 8, 0, 8);
        progressUntil(() -> region.get(JAVA_BYTE, SIZE - 1) != CANARY);
        assertNull(victimHost.failure);
        assertEquals(CANARY, region.get(JAVA_BYTE, SIZE - 9));
        assertOutsideUntouched();
    }

    @Test
    void shouldRefuseRequestsOutsideOfTheRegion() {
        request(PUT, REGION, SIZE - 7, 0, 8);
        assertRefused("put exceeds memory region: offset=4089, length=8, regionLength=4096 bytes");
    }

    @Test
    void shouldRefuseOffsetsThatOverflow() {
        request(GET, REGION, Long.MAX_VALUE, 8, 0);
        assertRefused("get exceeds memory region: offset=" + Long.MAX_VALUE);
    }

    @Test
    void shouldRefuseRequestsWithoutTheRight() {
        request(PUT, READ_ONLY, 0, 0, 8);
        assertRefused("put on a region without WRITE");
    }

    @Test
    void shouldRefuseAtomicsAcrossWords() {
        request(ATOMIC, REGION, 4, 0, 0);
        assertRefused("atomic is not aligned: offset=4, allowed multiples of 8 bytes");
    }

    @Test
    void shouldRefuseAnswersToNothing() {
        served(DONE, 8, 0);
        assertRefused("DONE");
    }

    @Test
    void shouldRefuseMessagesOfServedMemoryThatAreCutOff() {
        served(PUT, 16, 0);
        assertRefused("message of served memory is malformed: message=PUT, length=16");
    }

    private void request(int kind, long number, long offset, long value, int data) {
        int header = kind == PUT ? 24 : kind == GET ? 32 : 40;
        MemorySegment message = arena.allocate(header + data);
        message.set(WORD, 0, kind | (long) data << 32);
        message.set(WORD, 8, number);
        message.set(WORD, 16, offset);
        if (kind != PUT) {
            message.set(WORD, 24, value);
        }
        write(message);
    }

    private void served(int kind, int length, int data) {
        MemorySegment message = arena.allocate(length);
        message.set(WORD, 0, kind | (long) data << 32);
        write(message);
    }

    private void write(MemorySegment message) {
        int length = (int) message.byteSize();
        assertTrue(toVictim.tryClaim(length));
        toVictim.put(0, message, 0, length);
        toVictim.publish(Ring.SERVED, length, 0, length);
    }

    // Helpers.

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
        assertTrue(toVictim.tryClaim(Ring.ANNOUNCEMENT_PAYLOAD));
        toVictim.number(0, 0);
        toVictim.number(Long.BYTES, address);
        toVictim.publish(Ring.ANNOUNCEMENT, length, 1, Ring.ANNOUNCEMENT_PAYLOAD);
    }

    private RawOperation message(int length) {
        return new RawOperation(arena.allocate(length), 1);
    }

    /** The lie is told, and the victim gives up the endpoint for it. */
    private void assertRefused(String message) {
        progressUntil(() -> victimHost.failure != null);
        FairleadException failure = Objects.requireNonNull(victimHost.failure, "the victim has noticed nothing");
        assertEquals(Reason.PROTOCOL_VIOLATION, failure.reason());
        assertTrue(String.valueOf(failure.getMessage()).contains(message), failure::getMessage);
        for (long i = 0; i < region.byteSize(); i++) {
            assertEquals(CANARY, region.get(JAVA_BYTE, i));
        }
        assertOutsideUntouched();
    }

    private void assertOutsideUntouched() {
        for (long i = 0; i < SIZE; i++) {
            assertEquals(CANARY, whole.get(JAVA_BYTE, i));
            assertEquals(CANARY, whole.get(JAVA_BYTE, 2L * SIZE + i));
        }
    }

    /** The victim makes progress until something has come true, or nothing more can be on its way. */
    private void progressUntil(BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            idle = victim.progress() > 0 ? 0 : idle + 1;
        }
    }
}
