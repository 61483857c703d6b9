package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The order of matching: messages of one endpoint in the order of their sends, with receives in the order of their posts. */
public class TaggedOrderContract extends TaggedCases {
    /** Creates the suite of one case; JUnit does. */
    protected TaggedOrderContract() {}

    @Test
    @Semantics("T-12")
    void shouldReceiveMessagesInTheOrderOfTheirSends() {
        Pair pair = connect();
        List<MemorySegment> targets = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            targets.add(buffer(16));
            pair.server().receive(targets.get(i), 1);
        }
        for (int i = 0; i < 500; i++) {
            pair.client().send(pattern(16, i), 1);
        }
        completeAll(server());
        completeAll(client());
        for (int i = 0; i < 500; i++) {
            Pattern.verify(targets.get(i), 0, 16, i);
        }
    }

    @Test
    @Semantics("T-13")
    void shouldFillReceivesInTheOrderOfTheirPosts() {
        Pair pair = connect();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            receives.add(i % 2 == 0 ? pair.server().receive(buffer(8), 1) : server().receive(buffer(8), 1, FULL));
        }
        for (int i = 0; i < 20; i++) {
            completeOk(pair.client(), pair.client().send(pattern(8, i), 1));
            completeOk(pair.server(), receives.get(i));
            assertEquals(i + 1, server().recorder().count(), "one message completes one receive");
        }
    }

    @Test
    @Semantics("T-14")
    void shouldMatchWaitingMessagesInTheOrderOfTheirSends() {
        Pair pair = connect();
        for (int i = 0; i < 200; i++) {
            pair.client().send(pattern(16, i), 1);
        }
        awaitUnexpected(server(), 200);
        for (int i = 0; i < 200; i++) {
            MemorySegment target = buffer(16);
            completeOk(pair.server(), pair.server().receive(target, 1));
            Pattern.verify(target, 0, 16, i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-15")
    void shouldPassOverWaitingMessagesOfOtherTags() {
        Pair pair = connect();
        long[] sent = {1, 2, 1, 3, 2, 1, 4};
        for (int i = 0; i < sent.length; i++) {
            pair.client().send(pattern(16, i), sent[i]);
        }
        awaitMessage(server(), 4);
        // Tag, and the message that it must bring.
        int[][] expected = {{3, 3}, {2, 1}, {1, 0}, {1, 2}, {2, 4}, {1, 5}, {4, 6}};
        for (int[] row : expected) {
            MemorySegment target = buffer(16);
            completeOk(pair.server(), pair.server().receive(target, row[0]));
            Pattern.verify(target, 0, 16, row[1]);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-16")
    void shouldPreferReceivePostedEarlierThoughItComparesLess() {
        Pair pair = connect();
        long wildcard = pair.server().receive(buffer(8), 0, ANY_TAG);
        long exact = pair.server().receive(buffer(8), 7);

        pair.client().send(buffer(8), 7);

        completeOk(pair.server(), wildcard);
        assertFalse(server().recorder().has(exact));
        pair.client().send(buffer(8), 7);
        completeOk(pair.server(), exact);
        completeAll(client());
    }

    @Test
    @Semantics("T-16")
    void shouldPreferReceivePostedEarlierThoughItComparesMore() {
        Pair pair = connect();
        long exact = pair.server().receive(buffer(8), 7);
        long partial = pair.server().receive(buffer(8), 7, 0xF);
        long wildcard = pair.server().receive(buffer(8), 0, ANY_TAG);

        pair.client().send(buffer(8), 7);
        completeOk(pair.server(), exact);
        pair.client().send(buffer(8), 0x57);
        completeOk(pair.server(), partial);
        pair.client().send(buffer(8), 7);

        assertEquals(7, completeOk(pair.server(), wildcard).tag());
        completeAll(client());
    }

    @Test
    @Semantics("T-16")
    void shouldLeaveReceiveThatDoesNotMatchForLaterMessage() {
        Pair pair = connect();
        long other = pair.server().receive(buffer(8), 8);
        long wildcard = pair.server().receive(buffer(8), 0, ANY_TAG);

        pair.client().send(buffer(8), 7);
        assertEquals(7, completeOk(pair.server(), wildcard).tag());
        pair.client().send(buffer(8), 8);

        assertEquals(8, completeOk(pair.server(), other).tag());
        completeAll(client());
    }

    @Test
    @Semantics("T-17")
    void shouldKeepOrderOfEagerAndRendezvousMessagesThatAreExpected() {
        Pair pair = connect();
        long[] lengths = {beyondEager(), 8, 8, beyondEager(), beyondEager(), 0, 8, eagerMax(), eagerMax() + 1L, 8};
        List<MemorySegment> targets = new ArrayList<>();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            targets.add(buffer(beyondEager()));
            receives.add(pair.server().receive(targets.get(i), 1));
        }
        for (int i = 0; i < lengths.length; i++) {
            pair.client().send(pattern(lengths[i], i), 1);
        }
        for (int i = 0; i < lengths.length; i++) {
            assertEquals(lengths[i], completeOk(pair.server(), receives.get(i)).length(), "length of message " + i);
            Pattern.verify(targets.get(i), 0, lengths[i], i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-17")
    void shouldKeepOrderOfEagerAndRendezvousMessagesThatWait() {
        Pair pair = connect();
        long[] lengths = {8, beyondEager(), 8, 0, beyondEager(), eagerMax() + 1L, eagerMax(), 8, beyondEager()};
        for (int i = 0; i < lengths.length; i++) {
            pair.client().send(pattern(lengths[i], i), 1);
        }
        awaitUnexpected(server(), lengths.length);
        List<MemorySegment> targets = new ArrayList<>();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            targets.add(buffer(beyondEager()));
            receives.add(pair.server().receive(targets.get(i), 1));
        }
        for (int i = 0; i < lengths.length; i++) {
            assertEquals(lengths[i], completeOk(pair.server(), receives.get(i)).length(), "length of message " + i);
            Pattern.verify(targets.get(i), 0, lengths[i], i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-18")
    void shouldTakeOnlyMessagesOfNamedEndpoint() {
        Pair first = connect();
        Pair second = connect();
        MemorySegment target = buffer(8);
        long receive = first.server().receive(target, 1);

        second.client().send(pattern(8, 2), 1);
        awaitMessage(server(), 1);
        assertFalse(server().recorder().has(receive));
        first.client().send(pattern(8, 1), 1);

        assertSame(
                first.server().endpoint(),
                completeOk(first.server(), receive).source().orElseThrow());
        Pattern.verify(target, 0, 8, 1);
        completeOk(second.server(), second.server().receive(target, 1));
        Pattern.verify(target, 0, 8, 2);
        completeAll(client());
    }

    @Test
    @Semantics("T-18")
    void shouldPassOverWaitingMessagesOfOtherEndpoints() {
        Pair first = connect();
        Pair second = connect();
        for (int i = 0; i < 3; i++) {
            second.client().send(pattern(8, 20 + i), 1);
            awaitUnexpected(server(), 2L * i + 1);
            first.client().send(pattern(8, 10 + i), 1);
            awaitUnexpected(server(), 2L * i + 2);
        }
        MemorySegment target = buffer(8);
        for (int i = 0; i < 3; i++) {
            completeOk(first.server(), first.server().receive(target, 1));
            Pattern.verify(target, 0, 8, 10 + i);
        }
        for (int i = 0; i < 3; i++) {
            completeOk(second.server(), second.server().receive(target, 1));
            Pattern.verify(target, 0, 8, 20 + i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-19")
    void shouldTryAnySourceAndOneSourceReceivesInTheOrderOfTheirPosts() {
        Pair first = connect();
        Pair second = connect();
        long any = server().receive(buffer(8), 1, FULL);
        long fromFirst = first.server().receive(buffer(8), 1);
        long fromSecond = second.server().receive(buffer(8), 1);
        long anyAgain = server().receive(buffer(8), 0, ANY_TAG);

        // The receive from any source was posted first and takes the first message, whoever sends it.
        first.client().send(buffer(8), 1);
        assertSame(first.server().endpoint(), complete(server(), any).source().orElseThrow());
        // The receive from the second endpoint precedes the second one from any source; that of the first does not fit.
        second.client().send(buffer(8), 1);
        completeOk(second.server(), fromSecond);
        second.client().send(buffer(8), 1);
        assertSame(
                second.server().endpoint(),
                complete(server(), anyAgain).source().orElseThrow());
        first.client().send(buffer(8), 1);
        completeOk(first.server(), fromFirst);
        completeAll(client());
    }

    @Test
    @Semantics("T-20")
    void shouldKeepOrderOfEachSenderForReceivesFromAny() {
        int senders = 8;
        int messages = 50;
        List<Pair> pairs = new ArrayList<>();
        Map<Endpoint, Integer> senderOf = new HashMap<>();
        for (int s = 0; s < senders; s++) {
            pairs.add(connect());
            senderOf.put(pairs.get(s).server().endpoint(), s);
        }
        List<MemorySegment> targets = new ArrayList<>();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < senders * messages; i++) {
            targets.add(buffer(16));
        }
        // Half of the receives are there before the messages, half come when messages wait.
        for (int i = 0; i < senders * messages / 2; i++) {
            receives.add(server().receive(targets.get(i), 1, FULL));
        }
        for (int i = 0; i < messages; i++) {
            for (int s = 0; s < senders; s++) {
                pairs.get(s).client().send(pattern(16, s * 1000L + i), 1);
            }
        }
        awaitUnexpected(server(), senders * messages / 2);
        for (int i = senders * messages / 2; i < senders * messages; i++) {
            receives.add(server().receive(targets.get(i), 1, FULL));
        }
        completeAll(server());
        completeAll(client());
        int[] next = new int[senders];
        for (int i = 0; i < receives.size(); i++) {
            Outcome outcome = server().recorder().outcome(receives.get(i));
            assertEquals(Status.OK, outcome.status());
            int sender = senderOf.getOrDefault(outcome.source().orElseThrow(), -1);
            Pattern.verify(targets.get(i), 0, 16, sender * 1000L + next[sender]++);
        }
    }

    @Test
    @Semantics("T-21")
    void shouldKeepOneOrderOfAllKindsOfSends() {
        requires(Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        End client = pair.client();
        int count = 60;
        for (int i = 0; i < count; i++) {
            MemorySegment source = pattern(i % 7 == 6 ? beyondEager() : 32, i);
            switch (i % 3) {
                case 0 -> client.send(source, 1);
                case 1 -> client.sendSynchronous(source, 1);
                default -> {
                    MemorySegment[] parts = {source.asSlice(0, 16), source.asSlice(16)};
                    client.posted(client.endpoint().sendGather(parts, 1, client.recorder()));
                }
            }
        }
        for (int i = 0; i < count; i++) {
            long length = i % 7 == 6 ? beyondEager() : 32;
            MemorySegment target = buffer(beyondEager());
            assertEquals(
                    length,
                    completeOk(pair.server(), pair.server().receive(target, 1)).length(),
                    "message " + i);
            Pattern.verify(target, 0, length, i);
        }
        completeAll(client());
        assertEquals(Set.of(), failures(client()));
    }

    private static Set<Outcome> failures(Side side) {
        return Set.copyOf(side.recorder().outcomes().stream()
                .filter(outcome -> outcome.status() != Status.OK)
                .toList());
    }
}
