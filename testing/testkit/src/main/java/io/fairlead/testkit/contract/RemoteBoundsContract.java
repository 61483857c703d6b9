package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.spi.AtomicOperation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Operations outside the range or the rights of a key: the call refuses them, and nothing is sent. */
public class RemoteBoundsContract extends RemoteMemoryCases {
    private static final int LENGTH = 1000;

    /** Offsets and lengths that leave a region of 1000 bytes. */
    private static final long[][] BAD_RANGES = {
        {0, 1001},
        {1, 1000},
        {999, 2},
        {1000, 1},
        {1001, 0},
        {1001, 1},
        {-1, 1},
        {-1, 0},
        {-8, 8},
        {0, -1},
        {1000, -1000},
        {Long.MAX_VALUE, 1},
        {Long.MAX_VALUE, 0},
        {Long.MAX_VALUE - 7, 8},
        {Long.MAX_VALUE, Long.MAX_VALUE},
        {1, Long.MAX_VALUE},
        {Long.MIN_VALUE, 1},
        {Long.MIN_VALUE, Long.MIN_VALUE},
        {1L << 32, 1},
        {(1L << 32) + 1, 8}
    };

    /** Creates the suite of one case; JUnit does. */
    protected RemoteBoundsContract() {}

    /** The calls that take a range of a region, with a local buffer that is long enough for the lengths that one can have. */
    private Map<String, Executable> calls(End end, RemoteKey key, MemorySegment local, long offset, long length) {
        Endpoint endpoint = end.endpoint();
        Recorder recorder = end.recorder();
        Map<String, Executable> calls = new LinkedHashMap<>();
        calls.put("put", () -> endpoint.put(local, 0, length, key, offset, recorder, 0));
        boolean isSegment = length >= 0 && length <= local.byteSize();
        if (isSegment && transport().capabilities().contains(Capability.PUT_SIGNAL)) {
            MemorySegment source = local.asSlice(0, length);
            calls.put("putSignal", () -> endpoint.putSignal(source, 1, key, offset, recorder));
        }
        calls.put("get", () -> endpoint.get(local, 0, length, key, offset, recorder, 0));
        return calls;
    }

    @Test
    @Semantics("R-28")
    void shouldAcceptRangesThatEndWithRegion() {
        Pair pair = connect();
        MemoryRegion region = region(LENGTH);
        RemoteKey key = pair.client().unpack(region);
        for (long[] range : new long[][] {{0, 1000}, {1, 999}, {999, 1}, {1000, 0}, {0, 0}}) {
            pair.client().put(pattern(range[1], range[1]), key, range[0]);
            flush(pair.client());
            Pattern.verify(region.segment(), range[0], range[1], range[1]);
            Pattern.verify(got(pair.client(), key, range[0], range[1]), 0, range[1], range[1]);
        }
        completeAll(client());
    }

    @Test
    @Semantics({"R-28", "R-29"})
    void shouldRefuseRangesThatLeaveRegion() {
        Pair pair = connect();
        MemoryRegion region = region(LENGTH);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        MemorySegment local = buffer(2000);
        List<Executable> checks = new ArrayList<>();
        for (long[] range : BAD_RANGES) {
            calls(pair.client(), key, local, range[0], range[1])
                    .forEach((name, call) -> checks.add(() -> assertNamesRange(name, range, call)));
        }
        assertAll(checks);
        assertNothingLeft(pair, region);
    }

    private static void assertNamesRange(String name, long[] range, Executable call) {
        String what = name + " with offset=" + range[0] + ", length=" + range[1];
        String message = String.valueOf(
                assertThrows(IndexOutOfBoundsException.class, call, what).getMessage());
        assertTrue(message.contains("length=" + range[1]), () -> what + " does not name the length: " + message);
        // A length that the local buffer has not got is refused for that, with the buffer's offset and size.
        if (range[1] >= 0 && range[1] <= 2000) {
            assertTrue(message.contains("offset=" + range[0]), () -> what + " does not name the offset: " + message);
            assertTrue(message.contains("regionLength=1000"), () -> what + " does not name the size: " + message);
        }
    }

    @Test
    @Semantics({"R-28", "R-29"})
    void shouldRefuseAtomicsThatLeaveRegion() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        MemoryRegion region = region(LENGTH);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        for (long offset : new long[] {1000, 1008, -8, Long.MAX_VALUE - 7, Long.MIN_VALUE, 1L << 32}) {
            String message = String.valueOf(assertThrows(
                            IndexOutOfBoundsException.class,
                            () -> pair.client().endpoint().fetchAdd(1, key, offset, client().recorder()),
                            () -> "atomic at " + offset)
                    .getMessage());
            assertTrue(message.contains("offset=" + offset), () -> "does not name the offset: " + message);
            assertTrue(message.contains("regionLength=1000"), () -> "does not name the size: " + message);
        }
        assertNothingLeft(pair, region);
        // The last whole word is inside, and the one that begins in the region and ends behind it is not.
        region.segment().set(WORD, 992, 7);
        assertEquals(7, changed(pair.client(), AtomicOperation.ADD, 1, 0, key, 992));
        RemoteKey odd = pair.client().unpack(region(1004));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> pair.client().endpoint().fetchAdd(1, odd, 1000, client().recorder()));
    }

    @Test
    @Semantics("R-30")
    void shouldRefuseRangesThatLeaveLocalBuffer() {
        Pair pair = connect();
        MemoryRegion region = region(LENGTH);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        Endpoint endpoint = pair.client().endpoint();
        Recorder recorder = client().recorder();
        MemorySegment local = buffer(64);
        List<Executable> checks = new ArrayList<>();
        for (long[] range : new long[][] {{0, 65}, {64, 1}, {65, 0}, {-1, 1}, {0, -1}, {Long.MAX_VALUE, 1}}) {
            checks.add(() -> assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> endpoint.put(local, range[0], range[1], key, 0, recorder, 0)));
            checks.add(() -> assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> endpoint.get(local, range[0], range[1], key, 0, recorder, 0)));
        }
        MemorySegment heap = MemorySegment.ofArray(new byte[64]);
        calls(pair.client(), key, heap, 0, 64)
                .forEach((name, call) -> checks.add(() -> assertThrows(IllegalArgumentException.class, call, name)));
        checks.add(() -> assertThrows(
                IllegalArgumentException.class,
                () -> endpoint.get(local.asReadOnly(), 0, 64, key, 0, recorder, 0),
                "get into a read-only buffer"));
        assertAll(checks);
        assertNothingLeft(pair, region);
    }

    @Test
    @Semantics("R-31")
    void shouldRefuseWhatRightsDoNotAllow() {
        requires(Capability.ATOMIC, Capability.PUT_SIGNAL);
        Pair pair = connect();
        AccessRight[] all = AccessRight.values();
        for (int subset = 1; subset < 1 << all.length; subset++) {
            Set<AccessRight> rights = EnumSet.noneOf(AccessRight.class);
            for (int i = 0; i < all.length; i++) {
                if ((subset >> i & 1) != 0) {
                    rights.add(all[i]);
                }
            }
            checkRights(pair, rights);
        }
        completeAll(client());
    }

    private void checkRights(Pair pair, Set<AccessRight> rights) {
        MemoryRegion region = server().context().allocate(LENGTH, rights);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        Map<String, Executable> calls = calls(pair.client(), key, buffer(8), 0, 8);
        calls.put("atomic", () -> pair.client().endpoint().fetchAdd(1, key, 0, client().recorder()));
        calls.forEach((name, call) -> {
            AccessRight needed = switch (name) {
                case "get" -> AccessRight.READ;
                case "atomic" -> AccessRight.ATOMIC;
                default -> AccessRight.WRITE;
            };
            if (!rights.contains(needed)) {
                String message = String.valueOf(
                        assertThrows(IllegalArgumentException.class, call, () -> name + " with rights " + rights)
                                .getMessage());
                assertTrue(message.contains(needed.name()), () -> "does not name the right: " + message);
            }
        });
        assertNothingLeft(pair, region);
        if (rights.contains(AccessRight.WRITE)) {
            pair.client().put(pattern(8, 1), key, 0);
            flush(pair.client());
            Pattern.verify(region.segment(), 0, 8, 1);
        }
        if (rights.contains(AccessRight.READ)) {
            assertEquals(
                    region.segment().get(WORD, 0), got(pair.client(), key, 0, 8).get(WORD, 0));
        }
        if (rights.contains(AccessRight.ATOMIC)) {
            long before = region.segment().get(WORD, 8);
            assertEquals(before, changed(pair.client(), AtomicOperation.SWAP, 5, 0, key, 8));
            assertEquals(5, region.segment().get(WORD, 8));
        }
    }

    /** Nothing is in flight, and the region is as it was. */
    private void assertNothingLeft(Pair pair, MemoryRegion region) {
        assertNothingInFlight(client());
        flush(pair.client());
        Pattern.verifyFilled(region.segment(), 0, LENGTH, UNTOUCHED);
    }
}
