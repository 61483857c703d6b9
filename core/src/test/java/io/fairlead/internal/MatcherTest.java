package io.fairlead.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MatcherTest {
    private final Matcher matcher = new Matcher();
    private final CoreEndpoint one = new CoreEndpoint(null, null);
    private final CoreEndpoint other = new CoreEndpoint(null, null);

    @Test
    void shouldPreferTheOlderOfAnExactAndAMaskedReceive() {
        CoreOperation masked = post(null, 0, 0);
        CoreOperation exact = post(null, 7, Worker.FULL_TAG_MASK);
        assertSame(masked, matcher.match(one, 7));
        assertSame(exact, matcher.match(one, 7));
        CoreOperation exactFirst = post(null, 7, Worker.FULL_TAG_MASK);
        post(null, 0, 0);
        assertSame(exactFirst, matcher.match(one, 7));
    }

    @Test
    void shouldPassOverReceivesOfOtherEndpoints() {
        post(other, 7, Worker.FULL_TAG_MASK);
        assertNull(matcher.match(one, 7));
        CoreOperation mine = post(one, 7, Worker.FULL_TAG_MASK);
        assertSame(mine, matcher.match(one, 7));
    }

    @Test
    void shouldCompareOnlyTheBitsOfTheMask() {
        CoreOperation receive = post(null, 0xAB00, 0xFF00);
        assertNull(matcher.match(one, 0xAC12));
        assertSame(receive, matcher.match(one, 0xAB12));
    }

    @Test
    void shouldWithdrawAReceiveOnce() {
        CoreOperation receive = post(null, 1, Worker.FULL_TAG_MASK);
        assertTrue(matcher.withdraw(receive));
        assertFalse(matcher.withdraw(receive));
        assertNull(matcher.match(one, 1));
    }

    @Test
    void shouldFindKeptMessagesInTheOrderOfTheirArrival() {
        CoreArrival first = keep(one, 3);
        CoreArrival second = keep(other, 3);
        CoreArrival third = keep(one, 3);
        assertSame(first, matcher.find(null, 3, Worker.FULL_TAG_MASK));
        assertSame(second, matcher.find(other, 3, Worker.FULL_TAG_MASK));
        matcher.remove(first);
        assertSame(third, matcher.find(one, 0, 0));
        assertEquals(2, matcher.unmatched());
    }

    @Test
    void shouldAgreeWithASlowModelOnRandomTraffic() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<CoreOperation> receives = new ArrayList<>();
        List<CoreArrival> messages = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            CoreEndpoint endpoint = random.nextBoolean() ? one : other;
            long tag = random.nextInt(8);
            if (random.nextBoolean()) {
                long mask = random.nextBoolean() ? Worker.FULL_TAG_MASK : random.nextInt(8);
                CoreEndpoint from = random.nextInt(3) == 0 ? endpoint : null;
                CoreArrival expected = messages.stream()
                        .filter(m -> ((m.tag ^ tag) & mask) == 0 && (from == null || m.endpoint == from))
                        .findFirst()
                        .orElse(null);
                CoreArrival found = matcher.find(from, tag, mask);
                assertSame(expected, found, "seed=" + seed + ", step=" + i);
                if (found != null) {
                    matcher.remove(found);
                    messages.remove(found);
                    matcher.release(found);
                } else if (receives.size() < 50) {
                    receives.add(post(from, tag, mask));
                }
            } else {
                CoreOperation expected = receives.stream()
                        .filter(r -> ((r.tag ^ tag) & r.tagMask) == 0 && (r.endpoint == null || r.endpoint == endpoint))
                        .findFirst()
                        .orElse(null);
                CoreOperation matched = matcher.match(endpoint, tag);
                assertSame(expected, matched, "seed=" + seed + ", step=" + i);
                if (matched != null) {
                    receives.remove(matched);
                } else if (messages.size() < 50) {
                    messages.add(keep(endpoint, tag));
                }
            }
        }
        assertEquals(receives, matcher.posted(_ -> true));
        assertEquals(messages, matcher.kept(_ -> true));
    }

    private CoreOperation post(CoreEndpoint from, long tag, long mask) {
        CoreOperation receive = new CoreOperation(null, 0);
        receive.endpoint = from;
        receive.tag = tag;
        receive.tagMask = mask;
        matcher.post(receive);
        return receive;
    }

    private CoreArrival keep(CoreEndpoint endpoint, long tag) {
        CoreArrival arrival = matcher.arrival(endpoint, tag, 0);
        matcher.keep(arrival);
        return arrival;
    }
}
