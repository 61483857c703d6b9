package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Remote keys: which bytes are a key, on which endpoint it may be used, and what it does after its region is closed. */
public class RemoteKeyContract extends RemoteMemoryCases {
    private static final java.util.regex.Pattern KEY_OF_ANOTHER =
            java.util.regex.Pattern.compile(".*key of (.+), used on (.+); unpack it there");

    /** Creates the suite of one case; JUnit does. */
    protected RemoteKeyContract() {}

    @Test
    @Semantics("R-55")
    void shouldMapAllocatedRegionsWhereDeclared() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(4096, EnumSet.of(AccessRight.READ));
        Pattern.fill(region.segment(), 0, 4096, 3);
        RemoteKey key = pair.client().unpack(region);
        if (!transport().capabilities().contains(Capability.MAPPED_MEMORY)) {
            assertTrue(key.mapped().isEmpty());
            return;
        }
        MemorySegment memory = key.mapped().orElseThrow();
        assertEquals(4096, memory.byteSize());
        assertTrue(memory.isReadOnly());
        Pattern.verify(memory, 0, 4096, 3);
        Pattern.fill(region.segment(), 0, 4096, 4);
        Pattern.verify(memory, 0, 4096, 4);
        RemoteKey unread = pair.client().unpack(server().context().allocate(64, EnumSet.of(AccessRight.WRITE)));
        assertTrue(unread.mapped().isEmpty(), "a key without the right to read");
        MemoryRegion callers = server().context().register(buffer(64), EnumSet.of(AccessRight.READ));
        assertTrue(pair.client().unpack(callers).mapped().isEmpty(), "memory of the owner's");
        region.close();
        awaitRevocation(key);
        Pattern.verify(key.mapped().orElseThrow(), 0, 4096, 4);
        pair.client().endpoint().abort();
        driveUntil(client(), () -> client().events().ended(pair.client().endpoint()), "the end");
        Pattern.verify(memory, 0, 4096, 4);
        key.close();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
        assertTrue(key.mapped().isEmpty());
    }

    /** By the file of the mapping, whatever rules the peer's Fairlead has. */
    @Test
    @Semantics("R-56")
    void shouldLetNobodyWriteWhatMayOnlyBeRead() throws IOException {
        assumeTrue(transport().provider().name().equals("shm"), "the kernel keeps this over shm alone");
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(4096, EnumSet.of(AccessRight.READ));
        MemorySegment mapped = pair.client().unpack(region).mapped().orElseThrow();
        MemoryRegion writable = server().context().allocate(4096, EnumSet.of(AccessRight.READ, AccessRight.WRITE));
        MemorySegment other = pair.client().unpack(writable).mapped().orElseThrow();
        assertTrue(isWritable(other), "nothing is shown by a file that cannot be found");
        assertFalse(isWritable(mapped));
        region.segment().set(ValueLayout.JAVA_LONG, 0, 7);
        assertEquals(7, mapped.get(ValueLayout.JAVA_LONG, 0));
    }

    /** Whether the file that is mapped at an address can be mapped again, to be written, through its owner's descriptor. */
    private static boolean isWritable(MemorySegment mapped) throws IOException {
        long inode = inode(mapped.address());
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                if (Files.exists(descriptor) && inode == (long) Files.getAttribute(descriptor, "unix:ino")) {
                    try (FileChannel file =
                            FileChannel.open(descriptor, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                        MappedByteBuffer _ = file.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
                        return true;
                    } catch (IOException refused) {
                        return false;
                    }
                }
            }
        }
        throw new AssertionError("no descriptor of the mapped file: inode=" + inode);
    }

    private static boolean isIn(String[] bounds, long address) {
        return Long.parseUnsignedLong(bounds[0], 16) <= address && address < Long.parseUnsignedLong(bounds[1], 16);
    }

    private static long inode(long address) throws IOException {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.map(line -> line.split(" +", 6))
                    .filter(field -> isIn(field[0].split("-", 2), address))
                    .map(field -> Long.parseLong(field[4]))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    @Semantics("R-38")
    void shouldRefusePackedKeysWithDamagedBytes() {
        Pair pair = connect();
        byte[] packed = region(64).packedKey();
        List<Executable> checks = new ArrayList<>();
        for (int i = 0; i < packed.length; i++) {
            for (int flip : new int[] {0x01, 0x80, 0xFF}) {
                byte[] damaged = packed.clone();
                damaged[i] ^= (byte) flip;
                String what = "byte " + i + " of " + packed.length + " changed by " + flip;
                checks.add(() -> assertRefused(pair.client(), damaged, Reason.MALFORMED_KEY, what));
            }
        }
        assertAll(checks);
        pair.client().endpoint().unpack(packed).close();
    }

    @Test
    @Semantics("R-38")
    void shouldRefusePackedKeysOfWrongLength() {
        Pair pair = connect();
        byte[] packed = region(64).packedKey();
        List<Executable> checks = new ArrayList<>();
        for (int length = 0; length <= packed.length + 16; length++) {
            if (length != packed.length) {
                byte[] cut = Arrays.copyOf(packed, length);
                String what = "cut to " + length + " of " + packed.length;
                checks.add(() -> assertRefused(pair.client(), cut, Reason.MALFORMED_KEY, what));
            }
        }
        byte[] huge = new byte[1 << 20];
        checks.add(() -> assertRefused(pair.client(), huge, Reason.MALFORMED_KEY, "a million zeros"));
        assertAll(checks);
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
    }

    private static void assertRefused(End end, byte[] packed, Reason reason, String what) {
        FairleadException refusal = assertThrows(
                FairleadException.class, () -> end.endpoint().unpack(packed).close(), what);
        assertEquals(reason, refusal.reason(), () -> what + ": " + refusal.getMessage());
    }

    @Test
    @Semantics("R-50")
    void shouldRefuseKeysThatSayMoreThanTheirOwner() {
        Pair pair = connect();
        for (MemoryRegion region : List.of(
                server().context().allocate(64, EnumSet.of(AccessRight.READ)),
                server().context().register(buffer(64), EnumSet.of(AccessRight.READ)))) {
            byte[] packed = region.packedKey();
            List<Executable> checks = new ArrayList<>();
            forge(checks, pair.client(), packed, "all rights", bytes -> bytes.put(2, (byte) 7));
            forge(checks, pair.client(), packed, "another region", bytes -> bytes.put(16, (byte) (bytes.get(16) + 1)));
            forge(checks, pair.client(), packed, "a longer region", bytes -> bytes.putLong(24, 1 << 20));
            // Behind the fixed fields: the parts of the transports, and what comes after them.
            for (int at = 33; at < packed.length - 4; at++) {
                int byteAt = at;
                forge(
                        checks,
                        pair.client(),
                        packed,
                        "byte " + at + " changed",
                        bytes -> bytes.put(byteAt, (byte) (bytes.get(byteAt) ^ 1)));
            }
            assertAll(checks);
            pair.client().endpoint().unpack(packed).close();
        }
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
    }

    /** Changes a key and computes its checksum again. */
    private static void forge(
            List<Executable> checks, End end, byte[] packed, String what, Consumer<ByteBuffer> change) {
        ByteBuffer bytes = ByteBuffer.wrap(packed.clone()).order(ByteOrder.LITTLE_ENDIAN);
        change.accept(bytes);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.array(), 0, packed.length - 4);
        bytes.putInt(packed.length - 4, (int) checksum.getValue());
        checks.add(() -> assertRefused(end, bytes.array(), Reason.MALFORMED_KEY, what));
    }

    @Test
    @Semantics("R-39")
    void shouldRefuseKeysOfOtherContexts() {
        Pair pair = connect();
        Side other = newSide("other");
        MemoryRegion foreign = other.context().allocate(64, ALL_RIGHTS);
        MemoryRegion own = client().context().allocate(64, ALL_RIGHTS);
        assertRefused(pair.client(), foreign.packedKey(), Reason.STALE_KEY, "key of a third context");
        assertRefused(pair.client(), own.packedKey(), Reason.STALE_KEY, "key of the initiator's own context");
    }

    @Test
    @Semantics("R-39")
    void shouldRefuseKeysOfEarlierIncarnation() {
        Side first = newSide("restarting");
        Pair before = connect(client(), first);
        byte[] packed = first.context().allocate(64, ALL_RIGHTS).packedKey();
        before.client().endpoint().unpack(packed).close();
        long incarnation = before.client().endpoint().peerIncarnation();
        first.close();
        progressUntil(() -> client().events().ended(before.client().endpoint()), "the client to see the close");

        Pair after = connect(client(), newSide("restarting"));

        assertNotEquals(incarnation, after.client().endpoint().peerIncarnation());
        assertRefused(after.client(), packed, Reason.STALE_KEY, "key of the incarnation before");
    }

    @Test
    @Semantics("R-39")
    void shouldUnpackKeyOnEveryEndpointToItsContext() {
        Pair first = connect();
        Pair second = connect();
        MemoryRegion region = region(64);
        first.client().put(pattern(8, 1), first.client().unpack(region), 0);
        second.client().put(pattern(8, 2), second.client().unpack(region), 8);
        flush(first.client());
        flush(second.client());
        Pattern.verify(region.segment(), 0, 8, 1);
        Pattern.verify(region.segment(), 8, 8, 2);
        completeAll(client());
    }

    /** Every call that takes a key. */
    private Map<String, Executable> calls(End end, RemoteKey key) {
        Endpoint endpoint = end.endpoint();
        Recorder recorder = end.recorder();
        MemorySegment local = buffer(8);
        Map<String, Executable> calls = new LinkedHashMap<>();
        calls.put("put", () -> endpoint.put(local, 0, 8, key, 0, recorder, 0));
        calls.put("putSignal", () -> endpoint.putSignal(local, 1, key, 0, recorder));
        calls.put("get", () -> endpoint.get(local, 0, 8, key, 0, recorder, 0));
        calls.put("atomic", () -> endpoint.fetchAdd(1, key, 0, recorder));
        return calls;
    }

    @Test
    @Semantics("R-40")
    void shouldRefuseKeyOfOtherEndpoint() {
        Pair first = connect();
        Pair second = connect();
        MemoryRegion region = region(64);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = first.client().unpack(region);
        calls(second.client(), key).forEach((name, call) -> assertThrows(IllegalArgumentException.class, call, name));
        calls(second.server(), key).forEach((name, call) -> {
            // Each worker numbers its own endpoints, so these two may have the same number.
            String message =
                    assertThrows(IllegalArgumentException.class, call, name).getMessage();
            Matcher named = KEY_OF_ANOTHER.matcher(message);
            assertTrue(named.matches() && !named.group(1).equals(named.group(2)), message);
        });
        flush(first.client());
        flush(second.client());
        assertNothingInFlight(client());
        Pattern.verifyFilled(region.segment(), 0, 64, UNTOUCHED);
    }

    @Test
    @Semantics("R-41")
    void shouldRefuseClosedKey() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(region(64));
        key.close();
        key.close();
        calls(pair.client(), key).forEach((name, call) -> assertThrows(IllegalArgumentException.class, call, name));
        assertNothingInFlight(client());
    }

    @Test
    @Semantics("R-41")
    void shouldCompleteWhatWasPostedBeforeKeyWasClosed() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = region(1 << 20);
        Pattern.fill(region.segment(), 0, 1 << 20, 1);
        MemorySegment target = buffer(1 << 19);
        long get;
        long add;
        region.segment().set(WORD, 1 << 19, 5);
        try (RemoteKey key = client.unpack(region)) {
            get = client.get(target, key, 0);
            add = client.fetchAdd(1, key, 1 << 19);
            client.put(pattern(100_000, 2), key, (1 << 19) + 8);
        }
        completeOk(client, get);
        assertEquals(5, completeOk(client, add).value());
        flush(client);
        Pattern.verify(target, 0, 1 << 19, 1);
        Pattern.verify(region.segment(), (1 << 19) + 8, 100_000, 2);
        assertEquals(6, region.segment().get(WORD, 1 << 19));
        completeAll(client());
    }

    @Test
    @Semantics({"R-42", "R-46"})
    void shouldAnswerRevokedOnceThatIsKnown() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        RemoteKey key = pair.client().unpack(region);
        assertFalse(key.isRevoked());

        region.close();
        awaitRevocation(key);

        assertTrue(key.isRevoked());
        Endpoint endpoint = pair.client().endpoint();
        Recorder recorder = client().recorder();
        MemorySegment local = buffer(8);
        assertEquals(Status.REVOKED, Status.of(endpoint.put(local, 0, 8, key, 0, recorder, 0)));
        assertEquals(Status.REVOKED, Status.of(endpoint.putSignal(local, 1, key, 0, recorder)));
        assertEquals(Status.REVOKED, Status.of(endpoint.get(local, 0, 8, key, 0, recorder, 0)));
        assertEquals(Status.REVOKED, Status.of(endpoint.fetchAdd(1, key, 0, recorder)));
        assertNothingInFlight(client());
        assertEquals(Status.OK, flushed(pair.client()), "nothing was refused, since nothing was taken");
        key.close();
    }

    @Test
    @Semantics("F-67")
    void shouldGiveBackTheMemoryOfARevokedRegionWithTheKeyStillOpen() throws IOException {
        Pair pair = connect();
        MemoryRegion staying = region(1 << 20);
        RemoteKey stays = pair.client().unpack(staying);
        long before = mappedByOthers();
        MemoryRegion region = region(1 << 20);
        RemoteKey key = pair.client().unpack(region);
        RemoteKey twice = pair.client().unpack(region);
        pair.client().put(pattern(64, 1), key, 0);
        flush(pair.client());

        region.close();
        awaitRevocation(key);
        awaitRevocation(twice);

        completeAll(client());
        assertEquals(before, mappedByOthers(), "mappings of files in memory");
        pair.client().put(pattern(64, 2), stays, 0);
        flush(pair.client());
        Pattern.verify(staying.segment(), 0, 64, 2);
        completeAll(client());
        key.close();
        twice.close();
        assertEquals(before, mappedByOthers(), "mappings of files in memory after the close of the keys");
    }

    /** Mappings of files that two processes can share; none over most transports. */
    private static long mappedByOthers() throws IOException {
        try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
            return mappings.filter(mapping -> mapping.contains("/dev/shm/fairlead-"))
                    .count();
        }
    }

    @Test
    @Semantics({"R-42", "R-43"})
    void shouldEndOperationsThatTargetRefused() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = region(1 << 20);
        RemoteKey key = client.unpack(region);

        region.close();
        // The client is not notified of it yet, so all of these are sent.
        MemorySegment target = buffer(100).fill(UNTOUCHED);
        long put = client.put(pattern(100, 1), key, 0);
        long large = client.put(pattern(1 << 20, 1), key, 0);
        long get = client.get(target, key, 0);
        long add = client.fetchAdd(1, key, 0);
        long flush = client.flush();

        completeOk(client, put);
        completeOk(client, large);
        assertEquals(Status.REVOKED, complete(client, get).status());
        assertEquals(Status.REVOKED, complete(client, add).status());
        assertEquals(Status.REVOKED, complete(client, flush).status());
        assertEquals(Status.OK, flushed(client), "a refusal is told once");
        Pattern.verifyFilled(target, 0, 100, UNTOUCHED);
        assertEquals(EndpointState.CONNECTED, client.endpoint().state());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("R-44")
    void shouldNotTouchMemoryOfClosedRegion() {
        Pair pair = connect();
        End client = pair.client();
        MemorySegment memory = buffer(1 << 20);
        for (int round = 0; round < 20; round++) {
            MemoryRegion region = server().context().register(memory, ALL_RIGHTS);
            RemoteKey key = client.unpack(region);
            for (int i = 0; i < 8; i++) {
                client.put(pattern(1 << 17, i), key, (long) i << 17);
            }
            for (int i = 0; i < round; i++) {
                progress();
            }
            region.close();
            memory.fill(UNTOUCHED);
            Status status = flushed(client);
            assertTrue(status == Status.OK || status == Status.REVOKED, () -> "flush ended " + status);
            Pattern.verifyFilled(memory, 0, 1 << 20, UNTOUCHED);
            key.close();
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-44")
    void shouldNotTouchMemoryThatOtherThreadCloses() throws InterruptedException {
        Pair pair = connect();
        End client = pair.client();
        for (int round = 0; round < 20; round++) {
            // An allocated region's memory is gone when close returns: touching it would end the process or throw.
            MemoryRegion region = region(1 << 20);
            RemoteKey key = client.unpack(region);
            Thread closer = Thread.ofPlatform().start(region::close);
            for (int i = 0; i < 32; i++) {
                long posted = client.endpoint()
                        .put(pattern(1 << 15, i), 0, 1 << 15, key, (long) i << 15, client.recorder(), 0);
                if (posted > 0) {
                    client.posted(posted);
                } else {
                    assertEquals(Status.REVOKED, Status.of(posted));
                }
                progress();
            }
            progressUntil(() -> !closer.isAlive(), "the region to be closed");
            closer.join();
            Status status = flushed(client);
            assertTrue(status == Status.OK || status == Status.REVOKED, () -> "flush ended " + status);
            key.close();
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-45")
    void shouldLeaveOtherRegionsAsTheyWere() {
        Pair pair = connect();
        Pair bystander = connect();
        MemoryRegion closing = region(64);
        MemoryRegion staying = region(64);
        RemoteKey revoked = pair.client().unpack(closing);
        RemoteKey valid = pair.client().unpack(staying);
        RemoteKey other = bystander.client().unpack(staying);
        closing.close();
        pair.client().put(buffer(8), revoked, 0);
        pair.client().put(pattern(8, 1), valid, 0);
        bystander.client().put(pattern(8, 2), other, 8);

        assertEquals(Status.REVOKED, flushed(pair.client()));
        assertEquals(
                Status.OK, flushed(bystander.client()), "another endpoint is told of refusals that are not its own");
        Pattern.verify(staying.segment(), 0, 8, 1);
        Pattern.verify(staying.segment(), 8, 8, 2);
        awaitRevocation(revoked);
        assertFalse(valid.isRevoked());
        assertFalse(other.isRevoked());
        // Messages and new regions go on as ever; a new region that replaces the old one has another key.
        MemoryRegion successor = region(64);
        pair.client().put(pattern(8, 3), pair.client().unpack(successor), 0);
        flush(pair.client());
        Pattern.verify(successor.segment(), 0, 8, 3);
        pair.server().receive(buffer(8), 1);
        pair.client().send(buffer(8), 1);
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("R-46")
    void shouldTellEveryEndpointOfRevocation() {
        List<Pair> pairs = List.of(connect(), connect(newSide("third"), server()));
        MemoryRegion region = region(64);
        List<RemoteKey> keys =
                pairs.stream().map(pair -> pair.client().unpack(region)).toList();
        RemoteKey again = pairs.getFirst().client().unpack(region);
        region.close();
        keys.forEach(this::awaitRevocation);
        awaitRevocation(again);
    }

    @Test
    @Semantics("R-42")
    void shouldRefuseKeyUnpackedAfterRevocation() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        byte[] packed = region.packedKey();
        region.close();
        progressUntilIdle();
        // The bytes are intact, so unpacking cannot detect the revocation; using the key does.
        RemoteKey key = pair.client().endpoint().unpack(packed);
        long posted = pair.client().endpoint().get(buffer(8), 0, 8, key, 0, client().recorder(), 0);
        if (posted > 0) {
            assertEquals(
                    Status.REVOKED,
                    complete(pair.client(), pair.client().posted(posted)).status());
        } else {
            assertEquals(Status.REVOKED, Status.of(posted));
        }
    }
}
