package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.spi.AtomicOperation;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Put, get, flush and fence. */
public class RemoteMemoryContract extends RemoteMemoryCases {
    private static final int MIB = 1 << 20;
    private static final long BEYOND_2_GIB = (1L << 31) + 8192;

    /** Creates the suite of one case; JUnit does. */
    protected RemoteMemoryContract() {}

    @Test
    @Semantics("R-01")
    void shouldMakePutVisibleByFlush() {
        Pair pair = connect();
        MemoryRegion region = region(1 << 17);
        RemoteKey key = pair.client().unpack(region);
        for (int length : new int[] {1, 8, 100, 4096, 1 << 16, 1 << 17}) {
            MemorySegment source = pattern(length, length);
            long put = pair.client().put(source, key, 0);

            flush(pair.client());

            Pattern.verify(region.segment(), 0, length, length);
            assertEquals(length, completeOk(pair.client(), put).length());
        }
    }

    @Test
    @Semantics("R-01")
    void shouldMakeThousandPutsVisibleByOneFlush() {
        Pair pair = connect();
        MemoryRegion region = region(64 * 1000);
        RemoteKey key = pair.client().unpack(region);
        for (int i = 0; i < 1000; i++) {
            pair.client().put(pattern(64, i), key, 64L * i);
        }
        flush(pair.client());
        for (int i = 0; i < 1000; i++) {
            Pattern.verify(region.segment(), 64L * i, 64, i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-02")
    void shouldGetOnlyTheRange() {
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = region(1 << 17);
        Pattern.fill(region.segment(), 0, 1 << 17, 2);
        RemoteKey key = client.unpack(region);
        for (int length : new int[] {1, 8, 13, 4096, 100_001}) {
            MemorySegment target = buffer(length + 32).fill(UNTOUCHED);
            long get = client.posted(client.endpoint().get(target, 16, length, key, 1024, client.recorder(), 9));

            Outcome outcome = completeOk(client, get);

            assertEquals(length, outcome.length());
            assertEquals(9, outcome.userData());
            Pattern.verify(target, 16, length, 2, 1024);
            Pattern.verifyFilled(target, 0, 16, UNTOUCHED);
            Pattern.verifyFilled(target, 16L + length, 16, UNTOUCHED);
        }
    }

    @Test
    @Semantics("R-03")
    void shouldPutOnlyTheRangeAtAnyAlignment() {
        Pair pair = connect();
        End client = pair.client();
        for (int length : new int[] {1, 7, 8, 64, 70_001}) {
            MemoryRegion region = region(length + 64);
            RemoteKey key = client.unpack(region);
            for (int alignment = 0; alignment < 8; alignment++) {
                region.segment().fill(UNTOUCHED);
                MemorySegment source = buffer(length + 16).fill((byte) 0x77);
                Pattern.fill(source, 7 - alignment, length, length);
                client.posted(client.endpoint()
                        .put(source, 7 - alignment, length, key, 16 + alignment, client.recorder(), 0));
                flush(client);
                Pattern.verify(region.segment(), 16 + alignment, length, length);
                Pattern.verifyFilled(region.segment(), 0, 16 + alignment, UNTOUCHED);
                Pattern.verifyFilled(region.segment(), 16L + alignment + length, 48 - alignment, UNTOUCHED);
            }
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-04")
    void shouldFreeSourceByPutsCompletion() {
        Pair pair = connect();
        int[] lengths = {1, 64, 4096, 1 << 16, MIB, 4 * MIB};
        MemoryRegion region = region(8 * MIB);
        RemoteKey key = pair.client().unpack(region);
        long offset = 0;
        for (int length : lengths) {
            MemorySegment source = pattern(length, length);
            End client = pair.client();
            client.posted(client.endpoint()
                    .put(
                            source,
                            0,
                            length,
                            key,
                            offset,
                            request -> {
                                source.fill((byte) 0xEE);
                                client.recorder().completed(request);
                            },
                            0));
            offset += length;
        }
        completeAll(client());
        flush(pair.client());
        offset = 0;
        for (int length : lengths) {
            Pattern.verify(region.segment(), offset, length, length);
            offset += length;
        }
    }

    @Test
    @Semantics("R-05")
    void shouldGetWhatWasPutBeforeFence() {
        Pair pair = connect();
        MemoryRegion region = region(MIB);
        RemoteKey key = pair.client().unpack(region);
        for (int round = 0; round < 50; round++) {
            int length = round % 5 == 4 ? MIB : 64 << (round % 4);
            MemorySegment target = buffer(length);
            pair.client().put(pattern(length, round), key, 0);
            assertEquals(0, pair.client().endpoint().fence());
            completeOk(pair.client(), pair.client().get(target, key, 0));
            Pattern.verify(target, 0, length, round);
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-06")
    void shouldLetLaterPutStayBehindFence() {
        Pair pair = connect();
        MemoryRegion region = region(MIB);
        RemoteKey key = pair.client().unpack(region);
        for (int round = 0; round < 30; round++) {
            // The first is longer, and would end later if nothing ordered them.
            int first = round % 2 == 0 ? MIB : 1024;
            pair.client().put(pattern(first, round), key, 0);
            assertEquals(Status.OK.code(), pair.client().endpoint().fence());
            pair.client().put(pattern(512, -round), key, 0);
            flush(pair.client());
            Pattern.verify(region.segment(), 0, 512, -round);
            Pattern.verify(region.segment(), 512, first - 512, round, 512);
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-07")
    void shouldOrderAtomicsAndPutsByFences() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = region(64);
        RemoteKey key = client.unpack(region);
        for (long round = 0; round < 50; round++) {
            MemorySegment five = buffer(8);
            five.set(WORD, 0, round);
            MemorySegment hundred = buffer(8);
            hundred.set(WORD, 0, 100 + round);
            client.put(five, key, 8);
            assertEquals(Status.OK.code(), client.endpoint().fence());
            long add = client.fetchAdd(3, key, 8);
            assertEquals(Status.OK.code(), client.endpoint().fence());
            long again = client.fetchAdd(4, key, 8);
            assertEquals(Status.OK.code(), client.endpoint().fence());
            client.put(hundred, key, 8);
            flush(client);
            assertEquals(round, completeOk(client, add).value());
            assertEquals(round + 3, completeOk(client, again).value());
            assertEquals(100 + round, region.segment().get(WORD, 8));
        }
        completeAll(client());
    }

    @Test
    @Semantics("R-08")
    void shouldCompleteFlushAfterEverythingBefore() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        End client = pair.client();
        MemoryRegion region = region(MIB);
        RemoteKey key = client.unpack(region);
        List<Long> before = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            before.add(client.put(pattern(10_000, i), key, 10_000L * i));
            before.add(client.get(buffer(20_000), key, 500_000));
            before.add(client.fetchAdd(1, key, 900_000));
        }
        long flush = client.flush();
        progressUntil(() -> client().recorder().has(flush), "the flush to complete");

        for (long id : before) {
            assertTrue(client().recorder().has(id), "the flush completed before an operation that precedes it");
        }
        assertEquals(20, region.segment().get(WORD, 900_000));
        for (int i = 0; i < 20; i++) {
            Pattern.verify(region.segment(), 10_000L * i, 10_000, i);
        }
    }

    @Test
    @Semantics("R-48")
    void shouldFlushWhileMessagesWait() {
        requires(Capability.TAGGED, Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        MemoryRegion region = region(64);
        RemoteKey key = pair.client().unpack(region);
        long eager = pair.client().sendSynchronous(buffer(8), 1);
        long large = pair.client().send(buffer(MIB), 2);
        long receive = pair.client().receive(buffer(8), 3);
        pair.client().put(pattern(64, 1), key, 0);

        flush(pair.client());

        Pattern.verify(region.segment(), 0, 64, 1);
        for (long id : new long[] {eager, large, receive}) {
            assertFalse(client().recorder().has(id), "completed without its match");
        }
        completeOk(pair.server(), pair.server().receive(buffer(8), 1));
        completeOk(pair.server(), pair.server().receive(buffer(MIB), 2));
        pair.server().send(buffer(8), 3);
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("R-09")
    void shouldFlushNothing() {
        Pair pair = connect();
        for (int i = 0; i < 5; i++) {
            completeOk(pair.client(), pair.client().flush());
            completeOk(pair.server(), pair.server().flush());
        }
        // Several at once are each completed.
        for (int i = 0; i < 20; i++) {
            pair.client().flush();
        }
        completeAll(client());
        assertEquals(25, client().recorder().count());
    }

    @Test
    @Semantics("R-10")
    void shouldCompleteNothingByFence() {
        Pair pair = connect();
        for (int i = 0; i < 10; i++) {
            assertEquals(0, pair.client().endpoint().fence());
        }
        progressUntilIdle();
        assertEquals(0, client().recorder().count());
        assertNothingInFlight(client());
        MemoryRegion region = region(8);
        pair.client().put(pattern(8, 1), pair.client().unpack(region), 0);
        assertEquals(0, pair.client().endpoint().fence());
        flush(pair.client());
        Pattern.verify(region.segment(), 0, 8, 1);
        completeAll(client());
    }

    @Test
    @Semantics("R-11")
    void shouldPutAndGetNoBytes() {
        Pair pair = connect();
        MemoryRegion region = region(64);
        region.segment().fill(UNTOUCHED);
        RemoteKey key = pair.client().unpack(region);
        for (long offset : new long[] {0, 1, 63, 64}) {
            assertEquals(
                    0,
                    completeOk(pair.client(), pair.client().put(buffer(0), key, offset))
                            .length());
            assertEquals(
                    0,
                    completeOk(pair.client(), pair.client().get(buffer(0), key, offset))
                            .length());
        }
        flush(pair.client());
        Pattern.verifyFilled(region.segment(), 0, 64, UNTOUCHED);
    }

    @Test
    @Semantics("R-12")
    void shouldPutAndGet16MiB() {
        Pair pair = connect();
        MemoryRegion region = region(16 * MIB);
        RemoteKey key = pair.client().unpack(region);
        MemorySegment source = pattern(16 * MIB, 16);
        pair.client().put(source, key, 0);
        flush(pair.client());
        assertEquals(-1, source.mismatch(region.segment()), "first byte that differs at the target");

        MemorySegment target = got(pair.client(), key, 0, 16 * MIB);
        assertEquals(-1, source.mismatch(target), "first byte that differs here");
        completeAll(client());
    }

    @Test
    @Semantics("R-13")
    void shouldReachRegionBeyond2GiB() {
        requires(Capability.ATOMIC);
        FreeMemory.require(BEYOND_2_GIB + 1024L * MIB);
        Pair pair = connect();
        MemoryRegion region = region(BEYOND_2_GIB);
        assertEquals(BEYOND_2_GIB, region.length());
        RemoteKey key = pair.client().unpack(region);
        assertEquals(BEYOND_2_GIB, key.length());
        for (long offset : new long[] {0, (1L << 31) - 4096, (1L << 31) - 100, BEYOND_2_GIB - 4096}) {
            pair.client().put(pattern(4096, offset), key, offset);
            flush(pair.client());
            Pattern.verify(region.segment(), offset, 4096, offset);
            Pattern.verify(got(pair.client(), key, offset, 4096), 0, 4096, offset);
        }
        long last = BEYOND_2_GIB - 8;
        region.segment().set(WORD, last, 41);
        assertEquals(41, changed(pair.client(), AtomicOperation.ADD, 1, 0, key, last));
        assertEquals(42, region.segment().get(WORD, last));
        completeAll(client());
    }

    @Test
    @Semantics("R-14")
    void shouldNeedNothingButProgressFromTarget() {
        requires(Capability.ATOMIC);
        Pair pair = connect();
        MemoryRegion region = region(4096);
        RemoteKey key = pair.client().unpack(region);
        int events = server().events().all().size();
        for (int i = 0; i < 100; i++) {
            pair.client().put(pattern(64, i), key, 64);
            assertEquals(Status.OK.code(), pair.client().endpoint().fence());
            pair.client().get(buffer(64), key, 64);
            pair.client().fetchAdd(1, key, 0);
            flush(pair.client());
        }
        completeAll(client());
        assertEquals(100, region.segment().get(WORD, 0));
        assertEquals(0, server().recorder().count(), "completions at the target");
        assertEquals(events, server().events().all().size(), "events at the target");
        assertEquals(0, server().worker().counters().value(Counter.UNEXPECTED_MESSAGES));
    }

    @Test
    @Semantics("R-15")
    void shouldReachEachOtherAtOnce() {
        Pair pair = connect();
        MemoryRegion serverRegion = region(MIB);
        MemoryRegion clientRegion = client().context().allocate(MIB, ALL_RIGHTS);
        RemoteKey toServer = pair.client().unpack(serverRegion);
        RemoteKey toClient = pair.server().unpack(clientRegion);
        for (int i = 0; i < 16; i++) {
            pair.client().put(pattern(1 << 16, i), toServer, (long) i << 16);
            pair.server().put(pattern(1 << 16, -i), toClient, (long) i << 16);
        }
        long clientFlush = pair.client().flush();
        long serverFlush = pair.server().flush();
        completeOk(pair.client(), clientFlush);
        completeOk(pair.server(), serverFlush);
        for (int i = 0; i < 16; i++) {
            Pattern.verify(serverRegion.segment(), (long) i << 16, 1 << 16, i);
            Pattern.verify(clientRegion.segment(), (long) i << 16, 1 << 16, -i);
        }
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("R-47")
    void shouldReachTargetThatMakesNoProgress() {
        requires(Capability.ONE_SIDED);
        Pair pair = connect();
        MemoryRegion region = region(4096);
        RemoteKey key = pair.client().unpack(region);
        progressUntilIdle();
        Recorder recorder = client().recorder();
        pair.client().put(pattern(4096, 1), key, 0);
        long flush = pair.client().flush();
        progressAlone(client(), () -> recorder.has(flush), "the flush to complete");
        Pattern.verify(region.segment(), 0, 4096, 1);
        MemorySegment target = buffer(4096);
        long get = pair.client().get(target, key, 0);
        progressAlone(client(), () -> recorder.has(get), "the get to complete");
        Pattern.verify(target, 0, 4096, 1);
    }
}
