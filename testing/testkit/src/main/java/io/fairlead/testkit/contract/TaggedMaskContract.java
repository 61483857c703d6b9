package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Endpoint;
import io.fairlead.MessageInfo;
import io.fairlead.Worker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Tag masks: which messages a receive matches. A set bit is compared. */
public class TaggedMaskContract extends TaggedCases {
    private static final int TAG_BITS = 48;

    /** Creates the suite of one case; JUnit does. */
    protected TaggedMaskContract() {}

    @Test
    @Semantics("T-23")
    void shouldCompareSetBitsOnly() {
        Pair pair = connect();
        long receive = pair.server().receive(buffer(8), 0x12_00, 0xFF_00);

        pair.client().send(buffer(8), 0x13_00);
        awaitMessage(server(), 0x13_00);
        assertFalse(server().recorder().has(receive), "a set bit differs");
        pair.client().send(buffer(8), 0x12_AB);

        assertEquals(0x12_AB, completeOk(pair.server(), receive).tag());
        receiveNext(pair.server(), buffer(8));
        completeAll(client());
    }

    @Test
    @Semantics("T-23")
    void shouldCompareSetBitsOnlyWithWaitingMessages() {
        Pair pair = connect();
        long[] tags = {0x13_00, 0x12_01, 0x02_00, 0x12_FF, 0xFF12_00};
        for (long tag : tags) {
            pair.client().send(buffer(8), tag);
        }
        awaitMessage(server(), 0xFF12_00);

        // Bits above the mask are not compared, so that the last message fits too.
        for (long expected : new long[] {0x12_01, 0x12_FF, 0xFF12_00}) {
            assertEquals(
                    expected,
                    complete(server(), pair.server().receive(buffer(8), 0x12_00, 0xFF_00))
                            .tag());
        }
        assertEquals(0x13_00, receiveNext(pair.server(), buffer(8)).tag());
        assertEquals(0x02_00, receiveNext(pair.server(), buffer(8)).tag());
        completeAll(client());
    }

    @Test
    @Semantics("T-24")
    void shouldMatchEveryTagWithMaskOfNoBits() {
        Pair pair = connect();
        long[] tags = {0, 1, 0x8000_0000_0000L, 0x1234_5678_9ABCL, Worker.TAG_MAX};
        for (int i = 0; i < tags.length; i++) {
            // Every other receive is there first; the tag of the receive makes no difference.
            long early = i % 2 == 0 ? pair.server().receive(buffer(8), 0xAAAA, ANY_TAG) : 0;
            pair.client().send(buffer(8), tags[i]);
            if (early == 0) {
                awaitMessage(server(), tags[i]);
                early = pair.server().receive(buffer(8), Worker.TAG_MAX, ANY_TAG);
            }
            assertEquals(tags[i], completeOk(pair.server(), early).tag());
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-25")
    void shouldCompareEachOfAllBitsWithFullMask() {
        Pair pair = connect();
        long tag = 0x5A5A_C3C3_0F0FL;
        long receive = pair.server().receive(buffer(8), tag);
        for (int bit = 0; bit < TAG_BITS; bit++) {
            pair.client().send(buffer(8), tag ^ (1L << bit));
        }
        awaitUnexpected(server(), TAG_BITS);
        assertFalse(server().recorder().has(receive), "one bit differs");

        pair.client().send(buffer(8), tag);

        assertEquals(tag, completeOk(pair.server(), receive).tag());
        for (int bit = 0; bit < TAG_BITS; bit++) {
            assertEquals(
                    tag ^ (1L << bit), receiveNext(pair.server(), buffer(8)).tag());
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-25")
    void shouldCompareEachSingleBitOfMask() {
        Pair pair = connect();
        List<Long> receives = new ArrayList<>();
        for (int bit = 0; bit < TAG_BITS; bit++) {
            receives.add(pair.server().receive(buffer(8), 1L << bit, 1L << bit));
        }
        // The only bit that is set is the one that only that receive compares, and the others compare with a clear one.
        for (int bit = TAG_BITS - 1; bit >= 0; bit--) {
            pair.client().send(buffer(8), 1L << bit);
            assertEquals(1L << bit, completeOk(pair.server(), receives.get(bit)).tag());
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-26")
    void shouldIgnoreBitsOfReceivesTagOutsideOfMask() {
        Pair pair = connect();
        long receive = pair.server().receive(buffer(8), 0xFFFF_FFFF_FF34L, 0xFF);
        pair.client().send(buffer(8), 0x12_34);
        assertEquals(0x12_34, completeOk(pair.server(), receive).tag());

        pair.client().send(buffer(8), 0x56_34);
        awaitMessage(server(), 0x56_34);
        MessageInfo info = server().worker().newMessageInfo();
        assertTrue(server().worker().probe(0xABCD_34, 0xFF, info));
        assertEquals(0x56_34, info.tag());
        receiveNext(pair.server(), buffer(8));
        completeAll(client());
    }

    @Test
    @Semantics("T-27")
    void shouldRefuseTagsOutOfRange() {
        Pair pair = connect();
        End end = pair.server();
        Worker worker = end.worker();
        Recorder recorder = end.recorder();
        MemorySegment buffer = buffer(8);
        MessageInfo info = worker.newMessageInfo();
        List<Executable> checks = new ArrayList<>();
        for (long tag : new long[] {Worker.TAG_MAX + 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            Map<String, Executable> calls = new LinkedHashMap<>();
            calls.put("send", () -> end.endpoint().send(buffer, 0, 8, tag, recorder, 0));
            calls.put("sendSynchronous", () -> end.endpoint().sendSynchronous(buffer, 0, 8, tag, recorder, 0));
            calls.put("sendGather", () -> end.endpoint().sendGather(new MemorySegment[] {buffer}, tag, recorder));
            calls.put("receive", () -> end.endpoint().receive(buffer, 0, 8, tag, FULL, recorder, 0));
            calls.put("receive from any", () -> worker.receive(buffer, 0, 8, tag, FULL, recorder, 0));
            calls.put("probe", () -> worker.probe(tag, FULL, info));
            calls.put("claim", () -> worker.claim(tag, FULL, info));
            calls.forEach((name, call) -> checks.add(() -> assertNamesTag(name, tag, call)));
        }
        assertAll(checks);
        assertEquals(0, worker.counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    private static void assertNamesTag(String name, long tag, Executable call) {
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, call, name + ": tag=" + tag);
        String message = String.valueOf(refusal.getMessage());
        assertTrue(message.contains("tag=" + tag), () -> name + " does not name the tag: " + message);
        assertTrue(
                message.contains(Long.toString(Worker.TAG_MAX)), () -> name + " does not name the limit: " + message);
    }

    @Test
    @Semantics("T-27")
    void shouldRefuseMasksOutOfRange() {
        Pair pair = connect();
        End end = pair.server();
        Worker worker = end.worker();
        MemorySegment buffer = buffer(8);
        MessageInfo info = worker.newMessageInfo();
        for (long mask : new long[] {FULL + 1, -1, Long.MIN_VALUE}) {
            List<Executable> calls = List.of(
                    () -> end.endpoint().receive(buffer, 0, 8, 1, mask, end.recorder(), 0),
                    () -> worker.receive(buffer, 0, 8, 1, mask, end.recorder(), 0),
                    () -> worker.probe(1, mask, info),
                    () -> worker.claim(1, mask, info));
            for (Executable call : calls) {
                String message = String.valueOf(
                        assertThrows(IllegalArgumentException.class, call).getMessage());
                assertTrue(message.contains("tagMask=" + mask), () -> "does not name the mask: " + message);
            }
        }
        assertEquals(0, worker.counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    @Semantics("T-67")
    void shouldFindByHashWhatFitsPartialMasks() {
        Pair pair = connect();
        int count = 4000;
        long[] masks = {0xFFFF_0000L, 0xFFFF_0001L, 0xFFFF_FF00L};
        for (boolean waits : new boolean[] {false, true}) {
            MemorySegment targets = buffer(8L * count);
            List<Runnable> receives = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                MemorySegment target = targets.asSlice(8L * i, 8);
                long tag = (long) i << 16;
                long mask = masks[i % masks.length];
                receives.add(() -> pair.server().receive(target, tag, mask));
            }
            if (!waits) {
                receives.forEach(Runnable::run);
            }
            long before = server().worker().counters().value(Counter.MATCH_ATTEMPTS);
            MemorySegment source = buffer(8);
            for (int i = count - 1; i >= 0; i--) {
                source.set(ValueLayout.JAVA_LONG, 0, i);
                long tag = (long) i << 16;
                long[] id = new long[1];
                progressUntil(
                        () -> (id[0] = pair.client().endpoint().send(source, tag, client().recorder()))
                                != Endpoint.BACK_PRESSURE,
                        "room for the message");
                completeOk(pair.client(), pair.client().posted(id[0]));
            }
            if (waits) {
                awaitUnexpected(server(), count);
                receives.forEach(Runnable::run);
            }
            completeAll(server());
            progressUntilIdle();
            for (int i = 0; i < count; i++) {
                assertEquals(i, targets.get(ValueLayout.JAVA_LONG, 8L * i));
            }
            long attempts = server().worker().counters().value(Counter.MATCH_ATTEMPTS) - before;
            assertTrue(attempts < 100L * count, () -> "receives and messages compared: " + attempts);
        }
    }
}
