package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Probing for unexpected messages, claiming them, and receiving what was claimed. */
public class TaggedProbeContract extends TaggedCases {
    /** Creates the suite of one case; JUnit does. */
    protected TaggedProbeContract() {}

    @Test
    @Semantics("T-28")
    void shouldTellSourceTagAndLengthOfWaitingMessage() {
        Pair first = connect();
        Pair second = connect();
        first.client().send(buffer(10), 1);
        second.client().send(buffer(20), 2);
        second.client().send(buffer(beyondEager()), 3);

        assertFound(awaitMessage(server(), 1), first, 1, 10);
        assertFound(awaitMessage(server(), 2), second, 2, 20);
        assertFound(awaitMessage(server(), 3), second, 3, beyondEager());

        for (int tag = 1; tag <= 3; tag++) {
            complete(server(), server().receive(buffer(beyondEager()), tag, FULL));
        }
        completeAll(client());
    }

    private static void assertFound(MessageInfo info, Pair pair, long tag, long length) {
        assertSame(pair.server().endpoint(), info.source().orElseThrow());
        assertEquals(tag, info.tag());
        assertEquals(length, info.length());
        assertFalse(info.isClaimed());
    }

    @Test
    @Semantics("T-28")
    void shouldFindEarliestMessageAndLeaveIt() {
        Pair pair = connect();
        for (int i = 1; i <= 3; i++) {
            pair.client().send(pattern(i, i), 0x10 + i);
        }
        awaitMessage(server(), 0x13);
        MessageInfo info = server().worker().newMessageInfo();

        for (int i = 1; i <= 3; i++) {
            for (int again = 0; again < 3; again++) {
                assertTrue(server().worker().probe(0x10, 0xF0, info));
                assertEquals(0x10 + i, info.tag());
            }
            MemorySegment target = buffer(3);
            assertEquals(0x10 + i, receiveNext(pair.server(), target).tag());
            Pattern.verify(target, 0, i, i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-29")
    void shouldFindNothingWhereNothingWaits() {
        Pair pair = connect();
        Worker worker = server().worker();
        MessageInfo info = worker.newMessageInfo();
        assertTrue(info.source().isEmpty());
        assertFalse(worker.probe(0, ANY_TAG, info));
        pair.client().send(buffer(8), 1);
        awaitMessage(server(), 1);

        assertFalse(worker.probe(2, FULL, info));
        assertFalse(worker.claim(2, FULL, info));
        assertFalse(info.isClaimed());
        assertFalse(client().worker().probe(0, ANY_TAG, client().worker().newMessageInfo()), "the sender's worker");

        receiveNext(pair.server(), buffer(8));
        assertFalse(worker.probe(0, ANY_TAG, info), "received already");
        completeAll(client());
    }

    @Test
    @Semantics("T-29")
    void shouldNotFindMessageThatReceiveTook() {
        Pair pair = connect();
        for (long length : new long[] {8, beyondEager()}) {
            long receive = pair.server().receive(buffer(length), 1);
            pair.client().send(buffer(length), 1);
            MessageInfo info = server().worker().newMessageInfo();
            progressUntil(
                    () -> {
                        assertFalse(server().worker().probe(0, ANY_TAG, info), "matched on arrival");
                        return server().recorder().has(receive);
                    },
                    "the receive to complete");
            completeOk(pair.server(), receive);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-30")
    void shouldTakeClaimedMessageOutOfMatching() {
        Pair pair = connect();
        for (int i = 0; i < 3; i++) {
            pair.client().send(pattern(16, i), 1);
        }
        awaitUnexpected(server(), 3);
        MessageInfo claimed = claim(server(), 1);
        assertTrue(claimed.isClaimed());
        assertSame(pair.server().endpoint(), claimed.source().orElseThrow());
        assertEquals(16, claimed.length());

        MemorySegment target = buffer(16);
        completeOk(pair.server(), pair.server().receive(target, 1));
        Pattern.verify(target, 0, 16, 1);
        completeOk(pair.server(), pair.server().receive(target, 1));
        Pattern.verify(target, 0, 16, 2);
        assertFalse(server().worker().probe(0, ANY_TAG, server().worker().newMessageInfo()));

        assertEquals(Status.OK, receiveClaimed(server(), claimed, target).status());
        Pattern.verify(target, 0, 16, 0);
        assertFalse(claimed.isClaimed());
        completeAll(client());
    }

    @Test
    @Semantics("T-31")
    void shouldReceiveClaimedMessagesOfEverySize() {
        Pair pair = connect();
        long[] lengths = {0, 1, eagerMax(), eagerMax() + 1L, beyondEager(), 1 << 20};
        for (int i = 0; i < lengths.length; i++) {
            long send = pair.client().send(pattern(lengths[i], i), i);
            MessageInfo info = claim(server(), i);
            MemorySegment target = buffer(lengths[i] + 8).fill((byte) 0x55);

            Outcome outcome = receiveClaimed(server(), info, target);

            assertEquals(Status.OK, outcome.status());
            assertEquals(lengths[i], outcome.length());
            assertEquals(i, outcome.tag());
            assertSame(pair.server().endpoint(), outcome.source().orElseThrow());
            Pattern.verify(target, 0, lengths[i], i);
            Pattern.verifyFilled(target, lengths[i], 8, (byte) 0x55);
            completeOk(pair.client(), send);
        }
    }

    @Test
    @Semantics("T-32")
    void shouldReceiveClaimedMessagesInAnyOrder() {
        Pair pair = connect();
        int count = 12;
        for (int i = 0; i < count; i++) {
            pair.client().send(pattern(i % 4 == 3 ? beyondEager() : 64, i), i);
        }
        MessageInfo[] claimed = new MessageInfo[count];
        for (int i = 0; i < count; i++) {
            claimed[i] = claim(server(), i);
        }
        for (int i = count - 1; i >= 0; i--) {
            int index = (i * 5) % count;
            MemorySegment target = buffer(beyondEager());
            Outcome outcome = receiveClaimed(server(), claimed[index], target);
            assertEquals(Status.OK, outcome.status());
            Pattern.verify(target, 0, index % 4 == 3 ? beyondEager() : 64, index);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-33")
    void shouldTruncateClaimedMessageBeyondBuffer() {
        Pair pair = connect();
        for (long length : new long[] {64, beyondEager()}) {
            long send = pair.client().send(pattern(length, length), 1);
            MessageInfo info = claim(server(), 1);
            MemorySegment target = buffer(64).fill((byte) 0x55);
            long posted = server().worker().receiveClaimed(info, target, 8, 40, server().recorder(), 0);

            Outcome outcome = complete(server(), server().recorder().posted(posted));

            assertEquals(Status.TRUNCATED, outcome.status());
            assertEquals(length, outcome.length());
            Pattern.verifyFilled(target, 0, 8, (byte) 0x55);
            Pattern.verifyFilled(target, 48, 16, (byte) 0x55);
            completeOk(pair.client(), send);
        }
        assertIntact(pair);
    }

    @Test
    @Semantics("T-33")
    void shouldDiscardClaimedMessageIntoBufferOfNoBytes() {
        Pair pair = connect();
        for (long length : new long[] {1, 64, beyondEager(), 1 << 20}) {
            long send = pair.client().send(buffer(length), 1);
            MessageInfo info = claim(server(), 1);

            Outcome outcome = receiveClaimed(server(), info, buffer(0));

            assertEquals(Status.TRUNCATED, outcome.status());
            assertEquals(length, outcome.length());
            completeOk(pair.client(), send);
        }
        assertIntact(pair);
    }

    private void assertIntact(Pair pair) {
        MemorySegment target = buffer(100);
        pair.client().send(pattern(100, 99), 2);
        completeOk(pair.server(), pair.server().receive(target, 2));
        Pattern.verify(target, 0, 100, 99);
        completeAll(client());
    }

    @Test
    @Semantics("T-34")
    void shouldRefuseClaimIntoInformationThatHoldsOne() {
        Pair pair = connect();
        pair.client().send(pattern(16, 1), 1);
        pair.client().send(pattern(16, 2), 2);
        awaitMessage(server(), 2);
        MessageInfo info = claim(server(), 1);

        assertThrows(IllegalStateException.class, () -> server().worker().claim(2, FULL, info));

        assertEquals(1, info.tag());
        MemorySegment target = buffer(16);
        assertEquals(1, receiveClaimed(server(), info, target).tag());
        Pattern.verify(target, 0, 16, 1);
        // The information may be used again, and the message that was not claimed is still there.
        assertTrue(server().worker().claim(2, FULL, info));
        assertEquals(2, receiveClaimed(server(), info, target).tag());
        Pattern.verify(target, 0, 16, 2);
        completeAll(client());
    }

    @Test
    @Semantics("T-35")
    void shouldRefuseToReceiveWhatIsNotClaimed() {
        Pair pair = connect();
        Worker worker = server().worker();
        MemorySegment target = buffer(16);
        MessageInfo empty = worker.newMessageInfo();
        assertThrows(
                IllegalArgumentException.class,
                () -> worker.receiveClaimed(empty, target, 0, 16, server().recorder(), 0));
        pair.client().send(pattern(16, 1), 1);
        MessageInfo probed = awaitMessage(server(), 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> worker.receiveClaimed(probed, target, 0, 16, server().recorder(), 0));

        MessageInfo claimed = claim(server(), 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> client().worker().receiveClaimed(claimed, target, 0, 16, client().recorder(), 0));
        assertTrue(claimed.isClaimed(), "a refused receive leaves the message claimed");
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> worker.receiveClaimed(claimed, target, 1, 16, server().recorder(), 0));
        assertTrue(claimed.isClaimed(), "a refused receive leaves the message claimed");
        receiveClaimed(server(), claimed, target);
        Pattern.verify(target, 0, 16, 1);
        assertThrows(
                IllegalArgumentException.class,
                () -> worker.receiveClaimed(claimed, target, 0, 16, server().recorder(), 0));
        completeAll(client());
    }

    @Test
    @Semantics("N-20")
    void shouldBoundWhatEndedEndpointsLeaveBehind() {
        int mib = 1 << 20;
        int perEndpoint = 5;
        int endpoints = 4;
        configure(ConfigKeys.CREDIT_BYTES, 8 * mib);
        configure(ConfigKeys.EAGER_MAX, mib);
        long kept = 0;
        for (int i = 0; i < endpoints; i++) {
            Pair pair = connect();
            for (int j = 0; j < perEndpoint; j++) {
                int number = i * perEndpoint + j;
                completeOk(pair.client(), pair.client().send(pattern(mib, number), number));
            }
            awaitUnexpected(server(), kept + perEndpoint);
            pair.client().endpoint().startClose();
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the end of the endpoint");
            kept = server().worker().counters().value(Counter.UNEXPECTED_NOW);
        }
        // Each takes a little more than its payload, so one fewer than sixteen fit.
        assertEquals(15, kept);
        MessageInfo info = server().worker().newMessageInfo();
        MemorySegment target = buffer(mib);
        for (int number = 0; number < endpoints * perEndpoint; number++) {
            boolean old = number < (long) endpoints * perEndpoint - kept;
            assertEquals(!old, server().worker().probe(number, FULL, info), "message " + number);
            if (!old) {
                assertEquals(
                        Status.OK,
                        complete(server(), server().receive(target, number, FULL))
                                .status());
                Pattern.verify(target, 0, mib, number);
            }
        }
    }
}
