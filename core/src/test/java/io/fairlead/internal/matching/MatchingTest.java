package io.fairlead.internal.matching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MatchingTest {
    private final PostedReceiveQueue<TestReceive> posted = new PostedReceiveQueue<>();
    private final UnexpectedQueue unexpected = new UnexpectedQueue();
    private final MessageSource one = new TestSource(false);
    private final MessageSource other = new TestSource(false);

    @Test
    void shouldPreferTheOlderOfAnExactAndAMaskedReceive() {
        TestReceive masked = post(null, 0, 0);
        TestReceive exact = post(null, 7, Worker.FULL_TAG_MASK);
        assertSame(masked, posted.match(one, 7));
        assertSame(exact, posted.match(one, 7));
        TestReceive exactFirst = post(null, 7, Worker.FULL_TAG_MASK);
        post(null, 0, 0);
        assertSame(exactFirst, posted.match(one, 7));
    }

    @Test
    void shouldPassOverReceivesOfOtherEndpoints() {
        post(other, 7, Worker.FULL_TAG_MASK);
        assertNull(posted.match(one, 7));
        TestReceive mine = post(one, 7, Worker.FULL_TAG_MASK);
        assertSame(mine, posted.match(one, 7));
    }

    @Test
    void shouldCompareOnlyTheBitsOfTheMask() {
        TestReceive receive = post(null, 0xAB00, 0xFF00);
        assertNull(posted.match(one, 0xAC12));
        assertSame(receive, posted.match(one, 0xAB12));
    }

    @Test
    void shouldWithdrawAReceiveOnce() {
        TestReceive receive = post(null, 1, Worker.FULL_TAG_MASK);
        assertTrue(posted.withdraw(receive));
        assertFalse(posted.withdraw(receive));
        assertNull(posted.match(one, 1));
    }

    @Test
    void shouldFindKeptMessagesInTheOrderOfTheirArrival() {
        CoreArrival first = keep(one, 3);
        CoreArrival second = keep(other, 3);
        CoreArrival third = keep(one, 3);
        assertSame(first, unexpected.find(null, 3, Worker.FULL_TAG_MASK));
        assertSame(second, unexpected.find(other, 3, Worker.FULL_TAG_MASK));
        unexpected.remove(first);
        assertSame(third, unexpected.find(one, 0, 0));
        assertEquals(2, unexpected.count());
    }

    @Test
    void shouldFindForAReceiveWhatItTakes() {
        CoreArrival first = keep(one, 3);
        CoreArrival second = keep(other, 3);
        keep(other, 4);
        assertSame(first, unexpected.find(receive(null, 3, Worker.FULL_TAG_MASK)));
        assertSame(second, unexpected.find(receive(other, 3, Worker.FULL_TAG_MASK)));
        assertSame(second, unexpected.find(receive(other, 0, 0)));
        assertNull(unexpected.find(receive(one, 4, Worker.FULL_TAG_MASK)));
    }

    @Test
    void shouldNameTheOldestMessageOfEndedEndpointsOnlyWhereThereAreTooMany() {
        long length = LeftBehind.BYTES_MAX / 2;
        CoreArrival alive = keep(one, 1, length);
        CoreArrival first = keep(other, 1, length);
        CoreArrival second = keep(other, 1, length);
        unexpected.orphan(first);
        assertNull(unexpected.excess());
        unexpected.orphan(second);
        assertSame(first, unexpected.excess());
        unexpected.remove(first);
        assertNull(unexpected.excess());
        assertEquals(List.of(alive, second), unexpected.matching(_ -> true));
    }

    @Test
    void shouldCountEndedEndpointsBesideTheirMessages() {
        for (int i = 0; i < 3900; i++) {
            unexpected.orphan(keep(new TestSource(false), 1, 1));
        }
        assertNull(unexpected.excess());
        for (int i = 0; i < 200; i++) {
            unexpected.orphan(keep(new TestSource(false), 1, 1));
        }
        int dropped = 0;
        for (CoreArrival excess = unexpected.excess(); excess != null; excess = unexpected.excess()) {
            unexpected.remove(excess);
            dropped++;
        }
        assertEquals(4100 - LeftBehind.BYTES_MAX / (4096 + 192 + 1), dropped);
    }

    @Test
    void shouldFindReceivesOfPartialMasksByHash() {
        int count = 16_000;
        long[] masks = new long[PostedReceiveQueue.MASKS_MAX];
        Arrays.setAll(masks, i -> 0xFFFF_0000L | 1L << i);
        List<TestReceive> receives = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            receives.add(post(one, (long) i << 16, masks[i % masks.length]));
        }
        for (int i = count - 1; i >= 0; i--) {
            assertSame(receives.get(i), posted.match(one, (long) i << 16 | 0x8000));
        }
        assertTrue(posted.attempts() < 100L * count, () -> "attempts=" + posted.attempts());
        assertTrue(posted.isEmpty());
    }

    @Test
    void shouldFindMessagesForPartialMasksByHash() {
        int count = 16_000;
        for (int i = 0; i < count; i++) {
            keep(one, (long) i << 16 | i & 0xF);
        }
        for (int i = count - 1; i >= 0; i--) {
            long mask = 0xFFFF_0000L | 1L << i % UnexpectedQueue.MASKS_MAX + 4;
            CoreArrival found = unexpected.find(receive(one, (long) i << 16, mask));
            assertEquals((long) i << 16 | i & 0xF, found.tag);
            unexpected.remove(found);
            unexpected.release(found);
        }
        assertTrue(unexpected.attempts() < 100L * count, () -> "attempts=" + unexpected.attempts());
        assertEquals(0, unexpected.count());
    }

    @Test
    void shouldAgreeWithASlowModelOnRandomTraffic() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<TestReceive> receives = new ArrayList<>();
        List<CoreArrival> messages = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            MessageSource endpoint = random.nextBoolean() ? one : other;
            long tag = random.nextInt(200);
            if (random.nextBoolean()) {
                long mask = random.nextBoolean() ? Worker.FULL_TAG_MASK : random.nextInt(16);
                MessageSource from = random.nextInt(3) == 0 ? endpoint : null;
                CoreArrival expected = messages.stream()
                        .filter(m -> ((m.tag ^ tag) & mask) == 0 && (from == null || m.source == from))
                        .findFirst()
                        .orElse(null);
                CoreArrival found = unexpected.find(from, tag, mask);
                assertSame(expected, found, "seed=" + seed + ", step=" + i);
                if (found != null) {
                    unexpected.remove(found);
                    messages.remove(found);
                    unexpected.release(found);
                } else if (receives.size() < 400) {
                    receives.add(post(from, tag, mask));
                }
            } else {
                TestReceive expected = receives.stream()
                        .filter(r -> ((r.tag ^ tag) & r.tagMask) == 0 && r.takesFrom(endpoint))
                        .findFirst()
                        .orElse(null);
                TestReceive matched = posted.match(endpoint, tag);
                assertSame(expected, matched, "seed=" + seed + ", step=" + i);
                if (matched != null) {
                    receives.remove(matched);
                } else if (messages.size() < 400) {
                    messages.add(keep(endpoint, tag));
                }
            }
        }
        assertEquals(receives, posted.matching(_ -> true));
        assertEquals(messages, unexpected.matching(_ -> true));
    }

    private TestReceive post(MessageSource from, long tag, long mask) {
        TestReceive receive = receive(from, tag, mask);
        posted.post(receive);
        return receive;
    }

    private static TestReceive receive(MessageSource from, long tag, long mask) {
        TestReceive receive = new TestReceive(from);
        receive.tag = tag;
        receive.tagMask = mask;
        return receive;
    }

    private CoreArrival keep(MessageSource endpoint, long tag) {
        return keep(endpoint, tag, 0);
    }

    private CoreArrival keep(MessageSource endpoint, long tag, long length) {
        CoreArrival arrival = unexpected.arrival(endpoint, tag, length);
        unexpected.add(arrival);
        return arrival;
    }

    private static final class TestSource implements MessageSource {
        private final boolean exclusive;

        TestSource(boolean exclusive) {
            this.exclusive = exclusive;
        }

        @Override
        public boolean isExclusive() {
            return exclusive;
        }

        @Override
        public boolean tryKeep(CoreArrival arrival) {
            return true;
        }

        @Override
        public void discard(CoreArrival arrival) {}
    }
}
