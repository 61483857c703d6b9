package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.spi.RegionProof;
import io.fairlead.spi.RegisteredMemory;
import io.fairlead.spi.RemoteMemory;
import io.fairlead.spi.served.Arithmetic;
import io.fairlead.testkit.internal.FakeOperation;
import io.fairlead.testkit.internal.RawHost;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Keys of regions that are mapped: true ones, and those of a closed region, of a killed process, and made-up ones. Only what exists and is long
 * enough is mapped; the owner serves, and so checks, the rest.
 */
@Timeout(60)
final class SharedRegionTest {
    private static final RegionProof REGION = new RegionProof(7, 1, 2);
    private static final int SIZE = 4096;
    private static final int TURNS = 2000;

    private final Arena arena = Arena.ofConfined();
    private final RawHost ownerHost = new RawHost(3, 4, false);
    private final RawHost userHost = new RawHost(4, 3, true);
    private RawNode owner;
    private RawNode user;
    private UcxEndpoint ownerEnd;
    private UcxEndpoint end;
    private RegisteredMemory region;

    @BeforeEach
    void connect() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        UcxUnderTest transport = new UcxUnderTest();
        assumeTrue(
                transport.capabilities().contains(Capability.ONE_SIDED)
                        && !transport.lanes().startsWith("rc"),
                "no regions are mapped");
        owner = new RawNode();
        user = RawNode.leading(owner);
        ownerEnd = owner.connect(ownerHost, user.worker.address());
        end = user.connect(userHost, owner.worker.address());
        ownerEnd.begin();
        end.begin();
        progressUntil(() -> end.isReady() && ownerEnd.isReady());
        region = Objects.requireNonNull(owner.region(SIZE));
    }

    @AfterEach
    void close() {
        if (owner != null) {
            end.close();
            ownerEnd.close();
            progressUntil(() -> false);
            user.close();
            owner.close();
            assertNull(ownerHost.failure);
            assertNull(userHost.failure);
        }
        arena.close();
    }

    private void progressUntil(BooleanSupplier condition) {
        for (int turn = 0; turn < TURNS && !condition.getAsBoolean(); turn++) {
            int events = user.worker.progress() + owner.worker.progress();
            assertTrue(events >= 0);
            Thread.yield();
        }
    }

    private OneSidedMemory map(byte[] key) {
        return assertInstanceOf(OneSidedMemory.class, end.unpack(key, REGION, SIZE));
    }

    private void assertServed(byte[] key, long length, String why) {
        RemoteMemory memory = end.unpack(key, REGION, length);
        assertFalse(memory instanceof OneSidedMemory, why);
        memory.close();
    }

    private void get(OneSidedMemory memory, MemorySegment target, long offset) {
        assertTrue(end.tryGet(memory, offset, target, 0, Long.BYTES));
    }

    @Test
    void shouldReachARegionInsideTheCall() {
        region.segment().set(ValueLayout.JAVA_LONG, SIZE - 8, 42);
        OneSidedMemory memory = map(region.key());
        assertTrue(memory.isOpen());
        MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
        get(memory, word, SIZE - 8);
        assertEquals(42, word.get(ValueLayout.JAVA_LONG, 0));
        memory.close();
        region.close();
    }

    private static final class Change extends FakeOperation {
        private final OneSidedMemory memory;

        Change(OneSidedMemory memory) {
            this.memory = memory;
            atomic(AtomicOperation.ADD, 1, 0);
        }

        @Override
        public RemoteMemory remote() {
            return memory;
        }
    }

    private static final class Copy extends FakeOperation {
        private final OneSidedMemory memory;

        Copy(OneSidedMemory memory, MemorySegment local) {
            super(local, 0);
            this.memory = memory;
        }

        @Override
        public RemoteMemory remote() {
            return memory;
        }
    }

    @Test
    void shouldCopyLongRangesInSlicesAndKeepTheOrderBehindThem() {
        long length = 9 << 20;
        RegisteredMemory large = Objects.requireNonNull(owner.region(length));
        OneSidedMemory memory = assertInstanceOf(OneSidedMemory.class, end.unpack(large.key(), REGION, length));
        MemorySegment source = arena.allocate(length, 8);
        for (long at = 0; at < length; at += 8) {
            source.set(ValueLayout.JAVA_LONG, at, at + 1);
        }
        MemorySegment back = arena.allocate(length, 8);
        Copy put = new Copy(memory, source);
        Change change = new Change(memory);
        Copy get = new Copy(memory, back);
        FakeOperation flush = new FakeOperation();
        assertFalse(end.tryPut(memory, 0, source, 0, length), "too long for a post");
        end.put(put);
        end.fence();
        end.atomic(change);
        end.fence();
        end.get(get);
        end.flush(flush);
        assertFalse(put.done() || change.done() || get.done() || flush.done());
        assertFalse(end.isDrained());
        assertTrue(user.worker.progress() > 0);
        assertFalse(put.done(), "one turn moves one slice");
        progressUntil(flush::done);
        assertEquals(Status.OK, put.status);
        assertEquals(1, change.completedValue);
        assertEquals(length, get.completedLength);
        assertEquals(Status.OK, flush.status);
        assertEquals(2, back.get(ValueLayout.JAVA_LONG, 0));
        assertEquals(-1, back.asSlice(8).mismatch(source.asSlice(8)));
        assertEquals(-1, large.segment().mismatch(back));
        memory.close();
        large.close();
    }

    @Test
    void shouldEndLongCopiesWithTheirRegionAndTheirEndpoint() {
        long length = 9 << 20;
        RegisteredMemory large = Objects.requireNonNull(owner.region(length));
        OneSidedMemory memory = assertInstanceOf(OneSidedMemory.class, end.unpack(large.key(), REGION, length));
        Copy revoked = new Copy(memory, arena.allocate(length, 8));
        end.get(revoked);
        assertTrue(user.worker.progress() > 0);
        large.close();
        progressUntil(revoked::done);
        assertEquals(Status.REVOKED, revoked.status);
        memory.close();
        RegisteredMemory next = Objects.requireNonNull(owner.region(length));
        OneSidedMemory other = assertInstanceOf(OneSidedMemory.class, end.unpack(next.key(), REGION, length));
        Copy cancelled = new Copy(other, arena.allocate(length, 8));
        end.put(cancelled);
        assertTrue(user.worker.progress() > 0);
        end.close();
        progressUntil(cancelled::done);
        assertEquals(Status.CANCELLED, cancelled.status);
        other.close();
        next.close();
        end = user.connect(new RawHost(5, 9, true), owner.worker.address());
    }

    @Test
    void shouldChangeWordsAtomicallyWithTheOwnerAndThoseItServes() throws InterruptedException {
        ownerHost.region(REGION.regionId(), region.segment(), EnumSet.allOf(AccessRight.class));
        OneSidedMemory memory = map(region.key());
        MemorySegment words = region.segment();
        int rounds = 20_000;
        Thread ownersOwn = new Thread(() -> {
            for (int i = 0; i < rounds; i++) {
                long _ = Arithmetic.apply(AtomicOperation.ADD, words, 0, 1, 0);
            }
        });
        ownersOwn.start();
        int oneSided = 0;
        int served = 0;
        FakeOperation request = new FakeOperation().at(REGION.regionId(), 0).atomic(AtomicOperation.ADD, 1, 0);
        end.atomic(request);
        while (oneSided < rounds) {
            Change change = new Change(memory);
            end.atomic(change);
            assertEquals(Status.OK, change.status, "it ends inside its post");
            oneSided++;
            if (oneSided % 16 == 0) {
                int events = user.worker.progress() + owner.worker.progress();
                assertTrue(events >= 0);
                if (request.done()) {
                    served++;
                    request.again();
                    end.atomic(request);
                }
            }
        }
        ownersOwn.join();
        progressUntil(request::done);
        served++;
        assertTrue(served > 1, "nothing was served meanwhile");
        assertEquals(2L * rounds + served, words.get(ValueLayout.JAVA_LONG, 0));
        memory.close();
        region.close();
    }

    @Test
    void shouldRefuseToChangeWordsOfAClosedRegion() {
        OneSidedMemory memory = map(region.key());
        region.close();
        Change change = new Change(memory);
        end.atomic(change);
        assertEquals(Status.REVOKED, change.status);
        memory.close();
    }

    @Test
    void shouldSeeThatARegionIsClosedAndReachNothingOfItsOwner() {
        OneSidedMemory memory = map(region.key());
        region.close();
        assertFalse(memory.isOpen());
        // The pages stay for those that have mapped them, and belong to nobody else.
        RegisteredMemory next = Objects.requireNonNull(owner.region(SIZE));
        next.segment().set(ValueLayout.JAVA_LONG, 0, 43);
        MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
        assertFalse(end.tryGet(memory, 0, word, 0, Long.BYTES));
        Objects.requireNonNull(memory.shared()).get(0, word, 0, Long.BYTES);
        assertEquals(0, word.get(ValueLayout.JAVA_LONG, 0));
        memory.close();
        next.close();
    }

    @Test
    void shouldAskTheOwnerOfARegionThatWasClosedBefore() {
        byte[] key = region.key();
        region.close();
        assertServed(key, SIZE, "its segment is gone");
    }

    @Test
    void shouldMapARegionAgainAndTwiceAtOnce() {
        for (int i = 0; i < 3; i++) {
            OneSidedMemory first = map(region.key());
            OneSidedMemory second = map(region.key());
            first.close();
            assertTrue(second.isOpen());
            second.close();
        }
        region.close();
    }

    @Test
    void shouldNotMapMoreThanTheSegmentHas() {
        assertServed(region.key(), 1 << 20, "the segment is shorter");
        assertServed(region.key(), Long.MAX_VALUE, "no segment has that length");
        region.close();
    }

    @Test
    void shouldNotMapAnotherSegment() {
        SegmentKey key = Objects.requireNonNull(SegmentKey.decode(region.key()));
        RegisteredMemory other = Objects.requireNonNull(owner.region(SIZE));
        SegmentKey otherKey = Objects.requireNonNull(SegmentKey.decode(other.key()));
        assertServed(new SegmentKey(otherKey.number(), key.mark()).encode(), SIZE, "the mark is another one's");
        assertServed(new SegmentKey(key.number(), 0).encode(), SIZE, "it is the mark of closed regions");
        other.close();
        assertServed(new SegmentKey(otherKey.number(), 0).encode(), SIZE, "it is closed");
        region.close();
    }

    @Test
    void shouldMapNothingForMadeUpKeys() {
        Random random = new Random(1);
        byte[] key = region.key();
        for (int i = 0; i < key.length; i++) {
            byte[] forged = key.clone();
            forged[i] ^= (byte) (1 << random.nextInt(8));
            assertServed(forged, SIZE, "changed at " + i);
        }
        for (int length = Long.BYTES + 1; length < key.length; length++) {
            assertServed(Arrays.copyOf(key, length), SIZE, "cut to " + length);
        }
        for (int round = 0; round < 200; round++) {
            byte[] made = new byte[Long.BYTES + 1 + random.nextInt(64)];
            random.nextBytes(made);
            assertServed(made, SIZE, HexFormat.of().formatHex(made));
        }
        region.close();
    }

    @Test
    void shouldLetNoOtherUserReachARegionOrAQueue() throws IOException {
        String pid = Long.toString(ProcessHandle.current().pid());
        List<String> modes = Files.readAllLines(Path.of("/proc/sysvipc/shm")).stream()
                .map(line -> line.strip().split(" +"))
                .filter(columns -> columns[4].equals(pid))
                .map(columns -> columns[2].substring(columns[2].length() - 3))
                .toList();
        assertTrue(modes.size() >= 3, modes::toString);
        assertEquals(modes.size(), modes.stream().filter("600"::equals).count(), modes::toString);
        region.close();
    }

    @Test
    void shouldAskForARegionOfAKilledProcess() throws IOException, InterruptedException {
        region.close();
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SharedRegionProgram.class.getName(),
                        Integer.toString(SIZE))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines = process.inputReader()) {
            String line = lines.readLine();
            while (line != null && !line.startsWith("key=")) {
                line = lines.readLine();
            }
            byte[] key = HexFormat.of()
                    .parseHex(Objects.requireNonNull(line, "it printed no key").substring(4));
            // Its segment is there while it lives.
            OneSidedMemory memory = map(key);
            process.destroyForcibly().waitFor();
            assertTrue(memory.isOpen());
            MemorySegment word = arena.allocate(ValueLayout.JAVA_LONG);
            get(memory, word, 0);
            memory.close();
            assertServed(key, SIZE, "the process and its segment are gone");
        } finally {
            process.destroyForcibly();
        }
    }
}
