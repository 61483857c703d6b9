package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Context;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import io.fairlead.PathClass;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Memory that peers may reach: allocated by a context, or the caller's own. */
public class RemoteRegionContract extends RemoteMemoryCases {
    /** Creates the suite of one case; JUnit does. */
    protected RemoteRegionContract() {}

    @Test
    @Semantics("R-32")
    void shouldAllocateZeroFilledAlignedRegions() {
        for (long length : new long[] {1, 7, 8, 4095, 4096, 4097, 1 << 20}) {
            try (MemoryRegion region = region(length)) {
                assertEquals(length, region.length());
                assertEquals(length, region.segment().byteSize());
                assertEquals(0, region.segment().address() % 4096, "alignment of the region");
                Pattern.verifyFilled(region.segment(), 0, length, (byte) 0);
                assertEquals(ALL_RIGHTS, region.rights());
                // What is freed here must come back as zeros.
                region.segment().fill((byte) 0xFF);
            }
        }
    }

    @Test
    @Semantics("R-32")
    void shouldAllocateRegionsThatEveryThreadReaches() throws InterruptedException {
        MemoryRegion region = region(64);
        Thread other = Thread.ofPlatform().start(() -> region.segment().fill((byte) 7));
        other.join();
        Pattern.verifyFilled(region.segment(), 0, 64, (byte) 7);
    }

    @Test
    @Semantics("R-33")
    void shouldReachRegisteredMemoryOfCaller() {
        Pair pair = connect();
        MemorySegment memory = buffer(100_000).fill(UNTOUCHED);
        // A part of a larger allocation: what lies around it is not reachable and stays as it is.
        MemorySegment part = memory.asSlice(4000, 80_000);
        MemoryRegion region = server().context().register(part, ALL_RIGHTS);
        assertEquals(80_000, region.length());
        assertEquals(part.address(), region.segment().address());
        RemoteKey key = pair.client().unpack(region);

        pair.client().put(pattern(80_000, 1), key, 0);
        flush(pair.client());

        Pattern.verify(part, 0, 80_000, 1);
        Pattern.verifyFilled(memory, 0, 4000, UNTOUCHED);
        Pattern.verifyFilled(memory, 84_000, 16_000, UNTOUCHED);
        Pattern.fill(part, 0, 80_000, 2);
        Pattern.verify(got(pair.client(), key, 0, 80_000), 0, 80_000, 2);
        completeAll(client());
    }

    @Test
    @Semantics("R-33")
    void shouldLeaveRegisteredMemoryToCallerAfterClose() {
        MemorySegment memory = buffer(4096);
        MemoryRegion region = server().context().register(memory, ALL_RIGHTS);
        region.close();
        region.close();
        memory.fill((byte) 9);
        Pattern.verifyFilled(memory, 0, 4096, (byte) 9);
        // The same memory may be registered again, also twice at once.
        Pair pair = connect();
        MemoryRegion again = server().context().register(memory, ALL_RIGHTS);
        MemoryRegion twice = server().context().register(memory, Set.of(AccessRight.READ));
        pair.client().put(pattern(64, 3), pair.client().unpack(again), 0);
        flush(pair.client());
        Pattern.verify(got(pair.client(), pair.client().unpack(twice), 0, 64), 0, 64, 3);
        completeAll(client());
    }

    @Test
    @Semantics("F-66")
    void shouldServeRegionOfClosedMemoryAsAClosedOne() {
        Pair pair = connect();
        End client = pair.client();
        Arena arena = Arena.ofShared();
        MemoryRegion gone = server().context().register(arena.allocate(4096, 8), ALL_RIGHTS);
        MemoryRegion stays = server().context().register(buffer(4096), ALL_RIGHTS);
        RemoteKey key = client.unpack(gone);
        RemoteKey other = client.unpack(stays);
        completeOk(client, client.put(pattern(64, 1), key, 0));
        flush(client);
        arena.close();

        client.put(pattern(64, 2), key, 0);
        assertEquals(Status.REVOKED, complete(client, client.flush()).status());
        client.put(pattern(4096, 2), key, 0);
        assertEquals(Status.REVOKED, complete(client, client.flush()).status());
        assertEquals(
                Status.REVOKED, complete(client, client.get(buffer(64), key, 0)).status());
        assertEquals(
                Status.REVOKED, complete(client, client.fetchAdd(1, key, 0)).status());

        client.put(pattern(64, 3), other, 0);
        flush(client);
        Pattern.verify(stays.segment(), 0, 64, 3);
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
        completeAll(client());
        gone.close();
    }

    @Test
    @Semantics("R-34")
    void shouldRefuseToRegisterMemoryThatPeersCannotReach() {
        Context context = server().context();
        MemorySegment heap = MemorySegment.ofArray(new long[8]);
        MemorySegment readOnly = buffer(64).asReadOnly();
        List<Executable> checks = new ArrayList<>();
        checks.add(() -> refused(() -> context.register(heap, ALL_RIGHTS), "on the heap"));
        checks.add(() -> refused(() -> context.register(readOnly, ALL_RIGHTS), "read-only"));
        checks.add(() -> refused(() -> context.register(readOnly, Set.of(AccessRight.WRITE)), "read-only for WRITE"));
        checks.add(() -> refused(() -> context.register(readOnly, Set.of(AccessRight.ATOMIC)), "read-only for ATOMIC"));
        for (int offset = 1; offset < 8; offset++) {
            MemorySegment unaligned = buffer(64).asSlice(offset);
            String what = "unaligned by " + offset;
            checks.add(() -> refused(() -> context.register(unaligned, ALL_RIGHTS), what));
        }
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment own = confined.allocate(64, 8);
            checks.add(() -> refused(() -> context.register(own, ALL_RIGHTS), "confined"));
            assertAll(checks);
        }
    }

    private static void refused(Executable call, String what) {
        assertThrows(IllegalArgumentException.class, call, "memory that is " + what);
    }

    @Test
    @Semantics("R-34")
    void shouldRegisterReadOnlyMemoryForReading() {
        Pair pair = connect();
        MemorySegment memory = pattern(128, 4).asReadOnly();
        MemoryRegion region = server().context().register(memory, Set.of(AccessRight.READ));
        Pattern.verify(got(pair.client(), pair.client().unpack(region), 0, 128), 0, 128, 4);
    }

    @Test
    @Semantics("R-35")
    void shouldRefuseRegionsOfNoBytesOrNoRights() {
        Context context = server().context();
        Set<AccessRight> none = EnumSet.noneOf(AccessRight.class);
        assertAll(
                () -> refused(() -> context.allocate(0, ALL_RIGHTS), "of 0 bytes"),
                () -> refused(() -> context.allocate(-1, ALL_RIGHTS), "of -1 bytes"),
                () -> refused(() -> context.allocate(Long.MIN_VALUE, ALL_RIGHTS), "of less than no bytes"),
                () -> refused(() -> context.allocate(64, none), "without rights"),
                () -> refused(() -> context.register(buffer(0), ALL_RIGHTS), "registered with 0 bytes"),
                () -> refused(() -> context.register(buffer(64), none), "registered without rights"));
    }

    @Test
    @Semantics("R-54")
    void shouldRefuseRegionsThatAreTooLong() {
        Context context = server().context();
        long[] lengths = {(1L << 48) + 1, 1L << 62, Long.MAX_VALUE - 4096, Long.MAX_VALUE - 7, Long.MAX_VALUE};
        for (long length : lengths) {
            FairleadException failure =
                    assertThrows(FairleadException.class, () -> context.allocate(length, ALL_RIGHTS), "" + length);
            assertEquals(FairleadException.Reason.LIMIT_REACHED, failure.reason());
            String message = String.valueOf(failure.getMessage());
            assertTrue(
                    message.contains("length=" + length + " bytes") && message.contains("limit=281474976710656 bytes"),
                    message);
        }
        assertEquals(64, region(64).length());
    }

    @Test
    @Semantics("R-54")
    void shouldRefuseTheLongestRegionThatThereIsNoMemoryFor() {
        FairleadException failure =
                assertThrows(FairleadException.class, () -> server().context().allocate(1L << 48, ALL_RIGHTS));
        assertEquals(FairleadException.Reason.REGISTRATION_FAILED, failure.reason());
        String message = String.valueOf(failure.getMessage());
        assertTrue(message.contains("length=281474976710656 bytes"), message);
        assertEquals(64, region(64).length());
    }

    @Test
    @Semantics("R-36")
    void shouldKeepRegionsApart() {
        List<Pair> pairs = List.of(connect(), connect());
        List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            regions.add(i % 2 == 0 ? region(256) : server().context().register(buffer(256), ALL_RIGHTS));
        }
        for (int i = 0; i < regions.size(); i++) {
            for (int p = 0; p < 2; p++) {
                End client = pairs.get(p).client();
                // Two keys of one region on one endpoint reach the same memory.
                client.put(pattern(64, i * 2 + p), client.unpack(regions.get(i)), 128L * p);
                client.put(pattern(64, -i * 2 - p), client.unpack(regions.get(i)), 128L * p + 64);
            }
        }
        pairs.forEach(pair -> flush(pair.client()));
        for (int i = 0; i < regions.size(); i++) {
            for (int p = 0; p < 2; p++) {
                Pattern.verify(regions.get(i).segment(), 128L * p, 64, i * 2 + p);
                Pattern.verify(regions.get(i).segment(), 128L * p + 64, 64, -i * 2 - p);
            }
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-36")
    void shouldUseManyKeysAtOnce() {
        Pair pair = connect();
        List<MemoryRegion> regions = new ArrayList<>();
        List<RemoteKey> keys = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            regions.add(server().context().register(buffer(64), ALL_RIGHTS));
            keys.add(pair.client().unpack(regions.get(i)));
        }
        for (int i = 0; i < 500; i += 3) {
            keys.get(i).close();
            regions.get(i).close();
        }
        for (int i = 0; i < 500; i++) {
            if (i % 3 != 0) {
                pair.client().put(pattern(64, i), keys.get(i), 0);
            }
        }
        flush(pair.client());
        for (int i = 0; i < 500; i++) {
            if (i % 3 != 0) {
                Pattern.verify(regions.get(i).segment(), 0, 64, i);
            }
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-37")
    void shouldTellLengthAndRightsOfKey() {
        Pair pair = connect();
        for (Set<AccessRight> rights : List.of(
                ALL_RIGHTS,
                Set.of(AccessRight.READ),
                Set.of(AccessRight.WRITE, AccessRight.ATOMIC),
                Set.of(AccessRight.READ, AccessRight.WRITE))) {
            for (long length : new long[] {1, 4097, 1 << 20}) {
                MemoryRegion region = server().context().allocate(length, rights);
                RemoteKey key = pair.client().unpack(region);
                assertEquals(length, key.length());
                assertEquals(rights, key.rights());
                assertFalse(key.isRevoked());
            }
        }
    }

    @Test
    @Semantics("R-49")
    void shouldSurviveThatOtherThreadClosesLocalMemory(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("local"), new byte[4096]);
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(region(4096));
        // Where a get ends in its post the caller's memory is written there too; elsewhere only the peer's answer
        // would.
        boolean gets = transport().pathClass() == PathClass.SHARED_MEMORY
                && transport().capabilities().contains(Capability.ONE_SIDED);
        for (int round = 0; round < repetitions(200); round++) {
            // Memory of a file is unmapped as soon as it is closed: whoever touches it then ends the process.
            Arena closing = Arena.ofShared();
            MemorySegment memory;
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, closing);
            }
            AtomicBoolean posting = new AtomicBoolean();
            Thread closer = Thread.ofPlatform().start(() -> closeWhen(posting, closing));
            assertRefusedOnceClosed(pair.client(), key, memory, gets, posting);
            closer.join();
        }
        completeAll(client());
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
    }

    private static void closeWhen(AtomicBoolean posting, Arena closing) {
        while (!posting.get()) {
            Thread.onSpinWait();
        }
        while (closing.scope().isAlive()) {
            try {
                closing.close();
            } catch (IllegalStateException inUse) {
                // A native call has it at this moment.
                Thread.yield();
            }
        }
    }

    /** Posts until the memory is closed. */
    private void assertRefusedOnceClosed(
            End end, RemoteKey key, MemorySegment memory, boolean gets, AtomicBoolean posting) {
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (System.nanoTime() < deadline) {
            try {
                for (int i = 0; i < 16; i++) {
                    posted(end, end.endpoint().put(memory, 8, 8, key, 8, end.recorder(), 0));
                    if (gets) {
                        posted(end, end.endpoint().get(memory, 16, 8, key, 8, end.recorder(), 0));
                    }
                    posting.set(true);
                }
            } catch (IllegalArgumentException | IllegalStateException closed) {
                // The JDK interrupts a thread that it finds in memory which is being closed.
                boolean _ = Thread.interrupted();
                return;
            }
            progress();
        }
        fail("memory was closed 60 s ago, and posts still take it");
    }

    private static void posted(End end, long answer) {
        if (answer > 0) {
            end.posted(answer);
        } else {
            assertEquals(Status.BACK_PRESSURE, Status.of(answer));
        }
    }
}
