package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** What the completion of a send means, and what happens to messages when their sender ends. */
public class TaggedSendContract extends TaggedCases {
    private static final byte OVERWRITTEN = (byte) 0xEE;
    private static final int MIB = 1 << 20;

    /** Creates the suite of one case; JUnit does. */
    protected TaggedSendContract() {}

    @Test
    @Semantics("T-50")
    void shouldDeliverExpectedMessagesWhoseBuffersWereReused() {
        Pair pair = connect();
        long[] lengths = {1, 64, 4096, eagerMax(), eagerMax() + 1L, beyondEager(), MIB, 8 * MIB};
        List<MemorySegment> targets = new ArrayList<>();
        for (long length : lengths) {
            targets.add(buffer(length));
            pair.server().receive(targets.getLast(), 1);
        }
        for (int i = 0; i < lengths.length; i++) {
            MemorySegment source = pattern(lengths[i], i);
            pair.client().send(source, 1, overwriting(source));
        }
        completeAll(client());
        completeAll(server());
        for (int i = 0; i < lengths.length; i++) {
            Pattern.verify(targets.get(i), 0, lengths[i], i);
        }
    }

    @Test
    @Semantics("T-50")
    void shouldDeliverWaitingMessagesWhoseBuffersWereReused() {
        Pair pair = connect();
        long[] lengths = {1, 64, 4096, eagerMax(), eagerMax() + 1L, beyondEager(), MIB, 8 * MIB};
        for (int i = 0; i < lengths.length; i++) {
            MemorySegment source = pattern(lengths[i], i);
            pair.client().send(source, i, overwriting(source));
        }
        awaitMessage(server(), lengths.length - 1);
        progressUntilIdle();
        for (int i = 0; i < lengths.length; i++) {
            MemorySegment target = buffer(lengths[i]);
            completeOk(pair.server(), pair.server().receive(target, i));
            Pattern.verify(target, 0, lengths[i], i);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-50")
    void shouldDeliverThousandMessagesFromOneBuffer() {
        Pair pair = connect();
        int count = 1000;
        MemorySegment source = buffer(512);
        List<MemorySegment> targets = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            targets.add(buffer(512));
            pair.server().receive(targets.get(i), 1);
        }
        for (int i = 0; i < count; i++) {
            Pattern.fill(source, 0, 512, i);
            completeOk(pair.client(), pair.client().send(source, 1));
        }
        completeAll(server());
        for (int i = 0; i < count; i++) {
            Pattern.verify(targets.get(i), 0, 512, i);
        }
    }

    @Test
    @Semantics("T-50")
    void shouldDeliverGatheredMessageWhoseBuffersWereReused() {
        Pair pair = connect();
        for (long length : new long[] {100, beyondEager()}) {
            MemorySegment source = pattern(length, length);
            MemorySegment[] parts = {source.asSlice(0, 50), source.asSlice(50, 0), source.asSlice(50)};
            Endpoint endpoint = pair.client().endpoint();
            pair.client().posted(endpoint.sendGather(parts, length, overwriting(source)));
            awaitMessage(server(), length);
            progressUntilIdle();
            MemorySegment target = buffer(length);
            completeOk(pair.server(), pair.server().receive(target, length));
            Pattern.verify(target, 0, length, length);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-50")
    void shouldDeliverSynchronousMessagesFromOneBuffer() {
        requires(Capability.SYNCHRONOUS_SEND);
        // Eager, and longer than a turn writes.
        int length = 9_000_000;
        configure(ConfigKeys.CREDIT_BYTES, 32 * MIB);
        configure(ConfigKeys.EAGER_MAX, 16 * MIB);
        Pair pair = connect();
        MemorySegment source = buffer(length);
        MemorySegment target = buffer(length);
        MemorySegment[] parts = {source.asSlice(0, 100), source.asSlice(100, MIB), source.asSlice(100 + MIB)};
        Endpoint endpoint = pair.client().endpoint();
        for (int i = 0; i < 6; i++) {
            Pattern.fill(source, 0, length, i);
            long receive = pair.server().receive(target, 1);
            Completion reusing = overwriting(source);
            LongSupplier post = i % 2 == 0
                    ? () -> endpoint.sendSynchronous(source, 0, length, 1, reusing, 0)
                    : () -> endpoint.sendGather(parts, 1, reusing);
            completeOk(pair.client(), pair.client().posted(postWhenTaken(post)));
            completeOk(pair.server(), receive);
            Pattern.verify(target, 0, length, i);
        }
    }

    /** Posts as soon as there are credits for it; credits of the message before may still be on their way. */
    private long postWhenTaken(LongSupplier post) {
        long[] id = new long[1];
        progressUntil(() -> (id[0] = post.getAsLong()) != Endpoint.BACK_PRESSURE, "credits for the message");
        return id[0];
    }

    /** Reuses the buffer at the first moment at which that is allowed. */
    private Completion overwriting(MemorySegment source) {
        Recorder recorder = client().recorder();
        return request -> {
            source.fill(OVERWRITTEN);
            recorder.completed(request);
        };
    }

    @Test
    @Semantics("T-51")
    void shouldCompleteEagerSendsWithoutReceives() {
        Pair pair = connect();
        List<Long> sends = new ArrayList<>();
        for (long length : new long[] {0, 1, 1000, eagerMax()}) {
            sends.add(pair.client().send(buffer(length), length));
        }
        for (long send : sends) {
            completeOk(pair.client(), send);
        }
        for (long length : new long[] {0, 1, 1000, eagerMax()}) {
            completeOk(pair.server(), pair.server().receive(buffer(length), length));
        }
    }

    @Test
    @Semantics("T-52")
    void shouldCompleteSynchronousSendOnlyWhenReceiveMatches() {
        requires(Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        for (long length : new long[] {0, 8, eagerMax(), eagerMax() + 1L, beyondEager()}) {
            long send = pair.client().sendSynchronous(pattern(length, length), 1);
            // Found by probes, which are no match.
            awaitMessage(server(), 1);
            progressUntilIdle();
            awaitMessage(server(), 1);
            assertFalse(client().recorder().has(send), () -> "completed without a receive: length=" + length);
            // A receive that does not match is none either.
            long other = pair.server().receive(buffer(8), 2);
            progressUntilIdle();
            assertFalse(client().recorder().has(send), () -> "completed without a match: length=" + length);

            MemorySegment target = buffer(length);
            completeOk(pair.server(), pair.server().receive(target, 1));
            assertEquals(length, completeOk(pair.client(), send).length());
            Pattern.verify(target, 0, length, length);
            assertTrue(server().worker().cancel(other));
        }
        completeAll(server());
    }

    @Test
    @Semantics("T-52")
    void shouldCompleteSynchronousSendToPostedReceive() {
        requires(Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        for (long length : new long[] {0, 8, eagerMax(), eagerMax() + 1L, beyondEager(), MIB}) {
            MemorySegment target = buffer(length);
            long receive = pair.server().receive(target, 1);
            MemorySegment source = pattern(length, length);
            long send = pair.client()
                    .posted(pair.client().endpoint().sendSynchronous(source, 0, length, 1, overwriting(source), 0));
            completeOk(pair.client(), send);
            completeOk(pair.server(), receive);
            Pattern.verify(target, 0, length, length);
        }
    }

    @Test
    @Semantics("T-52")
    void shouldCompleteAllOfManySynchronousSends() {
        requires(Capability.SYNCHRONOUS_SEND);
        // More than some transports leave without an answer at a time.
        int count = 20_000;
        configure(ConfigKeys.OPERATIONS_MAX, 2 * count);
        configure(ConfigKeys.CREDIT_BYTES, 64 * MIB);
        Pair pair = connect();
        MemorySegment buffer = buffer(8);
        int sent = 0;
        for (; sent < count; sent++) {
            long id = pair.client().endpoint().sendSynchronous(buffer, 1, client().recorder());
            if (id == Endpoint.BACK_PRESSURE) {
                break;
            }
            pair.client().posted(id);
        }
        progressUntilIdle();
        assertEquals(0, client().recorder().count(), "completed without a receive");
        for (int i = 0; i < sent; i++) {
            pair.server().receive(buffer, 1);
        }
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("T-52")
    void shouldCompleteSynchronousSendOfClaimedMessage() {
        requires(Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        for (long length : new long[] {8, beyondEager()}) {
            long send = pair.client().sendSynchronous(pattern(length, length), 1);
            MemorySegment target = buffer(length);
            assertEquals(
                    Status.OK,
                    receiveClaimed(server(), claim(server(), 1), target).status());
            completeOk(pair.client(), send);
            Pattern.verify(target, 0, length, length);
        }
    }

    @Test
    @Semantics("T-56")
    void shouldReceiveWaitingMessagesAfterSenderClosed() {
        Pair pair = connect();
        int count = 20;
        for (int i = 0; i < count; i++) {
            completeOk(pair.client(), pair.client().send(pattern(200, i), i));
        }
        awaitMessage(server(), count - 1);

        pair.client().endpoint().close();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to see the close");

        assertEquals(EndpointState.CLOSED, pair.server().endpoint().state());
        for (int i = 0; i < count; i++) {
            MemorySegment target = buffer(200);
            Outcome outcome = complete(server(), server().receive(target, i, FULL));
            assertEquals(Status.OK, outcome.status());
            assertEquals(200, outcome.length());
            assertEquals(i, outcome.tag());
            assertEquals(pair.server().endpoint(), outcome.source().orElseThrow());
            Pattern.verify(target, 0, 200, i);
        }
    }

    @Test
    @Semantics("T-56")
    void shouldProbeClaimAndTruncateWaitingMessagesAfterSenderClosed() {
        Pair pair = connect();
        for (int i = 1; i <= 3; i++) {
            completeOk(pair.client(), pair.client().send(pattern(200, i), i));
        }
        awaitMessage(server(), 3);
        pair.client().endpoint().close();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to see the close");

        assertEquals(200, awaitMessage(server(), 2).length());
        MemorySegment target = buffer(200);
        assertEquals(
                Status.OK, receiveClaimed(server(), claim(server(), 2), target).status());
        Pattern.verify(target, 0, 200, 2);
        Outcome truncated = complete(server(), server().receive(buffer(50), 1, FULL));
        assertEquals(Status.TRUNCATED, truncated.status());
        assertEquals(200, truncated.length());
        // The third is never received: closing the worker drops it.
    }

    @Test
    @Semantics("T-56")
    void shouldReceiveWaitingMessagesThroughEndpointThatEnded() {
        Pair pair = connect();
        completeOk(pair.client(), pair.client().send(pattern(200, 1), 1));
        awaitMessage(server(), 1);
        pair.client().endpoint().close();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to see the close");

        Endpoint ended = pair.server().endpoint();
        MemorySegment target = buffer(200);
        assertEquals(Status.CLOSED, Status.of(ended.receive(target, 0, 200, 2, FULL, server().recorder(), 0)));
        long posted = ended.receive(target, 0, 200, 1, FULL, server().recorder(), 0);
        // Posted without the endpoint, whose end was reported already.
        assertEquals(
                Status.OK,
                complete(server(), server().recorder().posted(posted)).status());
        Pattern.verify(target, 0, 200, 1);
        assertEquals(Status.CLOSED, Status.of(ended.receive(target, 0, 200, 1, FULL, server().recorder(), 0)));
    }

    @Test
    @Semantics("T-56")
    void shouldDeliverWhatWasSentRightBeforeClose() {
        Pair pair = connect();
        List<MemorySegment> targets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            targets.add(buffer(200));
            server().receive(targets.get(i), i, FULL);
        }
        for (int i = 0; i < 50; i++) {
            pair.client().send(pattern(200, i), i);
        }
        pair.client().endpoint().close();
        completeAll(client());
        completeAll(server());
        for (int i = 0; i < 50; i++) {
            Pattern.verify(targets.get(i), 0, 200, i);
        }
        assertTrue(client().recorder().outcomes().stream().allMatch(outcome -> outcome.status() == Status.OK));
    }
}
