package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Advice;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.MessageInfo;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What happens to operations, messages and keys when an endpoint ends, and how the end of a peer is detected. */
public class FailureContract extends TransportContract {
    /** Longer than any transport sends without waiting for the receive. */
    private static final int LONG_MESSAGE = 1 << 20;

    private static final int EAGER_MESSAGES = 6;
    /** Longer than any transport moves in a few calls of progress. */
    private static final int VERY_LONG_MESSAGE = 256 << 20;

    /** Creates the suite. */
    protected FailureContract() {}

    @Test
    @Semantics("F-01")
    void shouldFailWhatIsInFlightWhenThePeerIsLost() {
        Pair pair = connect();
        Map<Long, Set<Status>> ids = postEveryKind(pair, Status.PEER_FAILED);
        pair.server().endpoint().abort();
        progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to lose its peer");
        assertStatuses(ids);
        assertEquals(EndpointState.FAILED, pair.client().endpoint().state());
    }

    @Test
    @Semantics("F-02")
    void shouldCloseWhatIsInFlightWhenThePeerSaysGoodbye() {
        Pair pair = connect();
        Map<Long, Set<Status>> ids = postEveryKind(pair, Status.CLOSED);
        pair.server().endpoint().close();
        progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to see the goodbye");
        assertStatuses(ids);
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
    }

    @Test
    @Semantics("F-03")
    void shouldCloseWhatIsInFlightWhenThisSideAborts() {
        Pair pair = connect();
        Map<Long, Set<Status>> ids = postEveryKind(pair, Status.CLOSED);
        pair.client().endpoint().abort();
        assertStatuses(ids);
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to lose its peer");
    }

    @Test
    @Semantics("F-04")
    void shouldKeepTheCauseOfAFailure() {
        Pair pair = connect();
        pair.server().endpoint().abort();
        Endpoint endpoint = pair.client().endpoint();
        progressUntil(() -> client().events().ended(endpoint), "the client to lose its peer");
        FairleadException failure = endpoint.failure().orElseThrow();
        assertEquals(Reason.PEER_LOST, failure.reason());
        assertEquals(Advice.RECONNECT, failure.advice());
        Event end = client().events().of(endpoint).getLast();
        assertSame(failure, end.cause().orElseThrow());
        assertMentions("server", failure);
    }

    @Test
    @Semantics("F-05")
    void shouldAnswerPeerFailedToPostsAfterAFailure() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        pair.server().endpoint().abort();
        Endpoint endpoint = pair.client().endpoint();
        progressUntil(() -> client().events().ended(endpoint), "the client to lose its peer");
        assertAnswers(endpoint, key, Status.PEER_FAILED);
    }

    @Test
    @Semantics("F-05")
    void shouldAnswerClosedToPostsAfterAGoodbye() {
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        pair.server().endpoint().close();
        Endpoint endpoint = pair.client().endpoint();
        progressUntil(() -> client().events().ended(endpoint), "the client to see the goodbye");
        assertAnswers(endpoint, key, Status.CLOSED);
    }

    @Test
    @Semantics("F-06")
    void shouldLeaveOtherEndpointsUntouched() {
        Pair failing = connect();
        Pair living = connect();
        long waiting = living.client().sendSynchronous(pattern(32, 1), 1);
        long receiving = living.client().receive(buffer(32), 2);
        postEveryKind(failing, Status.PEER_FAILED);
        failing.server().endpoint().abort();
        progressUntil(() -> client().events().ended(failing.client().endpoint()), "the client to lose one peer");
        assertFalse(client().recorder().has(waiting) || client().recorder().has(receiving));
        living.server().send(pattern(32, 2), 2);
        MemorySegment target = buffer(32);
        completeOk(living.server(), living.server().receive(target, 1));
        completeOk(living.client(), waiting);
        completeOk(living.client(), receiving);
        Pattern.verify(target, 0, 32, 1);
    }

    @Test
    @Semantics("F-07")
    void shouldKeepWholeMessagesAfterAGoodbye() {
        assertWholeMessagesOutlive(false);
    }

    @Test
    @Semantics("F-07")
    void shouldKeepWholeMessagesAfterAFailure() {
        assertWholeMessagesOutlive(true);
    }

    @Test
    @Semantics("F-08")
    void shouldForgetMessagesThatWereNotWhole() {
        Pair pair = connect();
        pair.client().send(buffer(LONG_MESSAGE), 1);
        MessageInfo info = server().worker().newMessageInfo();
        progressUntil(() -> server().worker().probe(1, Worker.FULL_TAG_MASK, info), "the message to be announced");
        pair.client().endpoint().abort();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to lose its peer");
        assertFalse(server().worker().probe(1, Worker.FULL_TAG_MASK, info));
    }

    @Test
    @Semantics({"F-07", "F-08", "F-70"})
    void shouldReceiveWhatAProbeFindsAfterAFailure() {
        assertFoundIsReceived(pair -> pair.client().endpoint().abort());
    }

    @Test
    @Semantics({"F-07", "F-08", "F-70"})
    void shouldReceiveWhatAProbeFindsAfterAGoodbye() {
        assertFoundIsReceived(pair -> pair.client().endpoint().close());
    }

    @Test
    @Semantics({"F-07", "F-08", "F-70"})
    void shouldReceiveWhatAProbeFindsAfterItsOwnAbort() {
        assertFoundIsReceived(pair -> pair.server().endpoint().abort());
    }

    @Test
    @Semantics("F-09")
    void shouldFailTheReceiveOfAClaimedMessageThatWasNotWhole() {
        Pair pair = connect();
        pair.client().send(buffer(LONG_MESSAGE), 1);
        MessageInfo info = server().worker().newMessageInfo();
        progressUntil(() -> server().worker().claim(1, Worker.FULL_TAG_MASK, info), "the message to be announced");
        pair.client().endpoint().abort();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to lose its peer");
        long posted =
                server().worker().receiveClaimed(info, buffer(LONG_MESSAGE), 0, LONG_MESSAGE, server().recorder(), 0);
        assertEquals(Endpoint.PEER_FAILED, posted);
        assertFalse(info.isClaimed());
    }

    @Test
    @Semantics("F-10")
    void shouldFailAReceiveWhoseSenderDiesInTheMiddleOfTheMessage() {
        Pair pair = connect();
        MemorySegment target = buffer(VERY_LONG_MESSAGE);
        long fromAny = server().receive(target, 1, Worker.FULL_TAG_MASK);
        pair.client().send(buffer(VERY_LONG_MESSAGE), 1);
        for (int i = 0; i < 4; i++) {
            progress();
        }
        pair.client().endpoint().abort();
        Outcome outcome = complete(server(), fromAny);
        assertEquals(Status.PEER_FAILED, outcome.status());
        assertSame(pair.server().endpoint(), outcome.source().orElseThrow());
    }

    @Test
    @Semantics("F-11")
    void shouldKeepReceivesFromAnySourceForOtherEndpoints() {
        Pair failing = connect();
        Pair living = connect();
        MemorySegment target = buffer(32);
        long fromAny = server().receive(target, 1, Worker.FULL_TAG_MASK);
        failing.client().endpoint().abort();
        progressUntil(() -> server().events().ended(failing.server().endpoint()), "the server to lose one peer");
        assertFalse(server().recorder().has(fromAny));
        living.client().send(pattern(32, 3), 1);
        Outcome outcome = complete(server(), fromAny);
        assertEquals(Status.OK, outcome.status());
        assertSame(living.server().endpoint(), outcome.source().orElseThrow());
        Pattern.verify(target, 0, 32, 3);
    }

    @Test
    @Semantics("F-12")
    void shouldConnectAnewAfterAFailure() {
        Pair first = connect();
        RemoteKey old = first.client().unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        first.server().endpoint().abort();
        progressUntil(() -> client().events().ended(first.client().endpoint()), "the client to lose its peer");
        Pair second = connect();
        MemorySegment buffer = buffer(8);
        assertThrows(
                IllegalArgumentException.class,
                () -> second.client().endpoint().put(buffer, 0, 8, old, 0, client().recorder(), 0));
        long received = second.server().receive(buffer, 1);
        second.client().send(pattern(8, 1), 1);
        completeOk(second.server(), received);
    }

    @Test
    @Semantics("F-13")
    void shouldRefuseTheKeyOfAPastIncarnation() {
        Side first = newSide("restarting");
        connect(client(), first);
        byte[] packed =
                first.context().allocate(64, EnumSet.allOf(AccessRight.class)).packedKey();
        Pair second = connect(client(), newSide("restarting"));
        FairleadException failure = assertThrows(
                FairleadException.class, () -> second.client().endpoint().unpack(packed));
        assertEquals(Reason.STALE_KEY, failure.reason());
    }

    @Test
    @Semantics("F-17")
    void shouldCloseThoughThePeerStandsStill() {
        Pair pair = connect();
        Map<Long, Set<Status>> ids = postEveryKind(pair, Status.CLOSED);
        pair.client().endpoint().close();
        assertStatuses(ids);
        assertTrue(client().events().ended(pair.client().endpoint()));
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to notice");
    }

    @Test
    @Semantics("F-20")
    void shouldAbortBothEndsAtOnce() {
        Pair pair = connect();
        postEveryKind(pair, Status.CLOSED);
        pair.client().endpoint().abort();
        pair.server().endpoint().abort();
        assertTrue(client().events().ended(pair.client().endpoint()));
        assertTrue(server().events().ended(pair.server().endpoint()));
    }

    @Test
    @Semantics("F-22")
    void shouldCountFailures() {
        Pair pair = connect();
        pair.client().receive(buffer(8), 1);
        pair.server().endpoint().abort();
        progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to lose its peer");
        assertEquals(1, client().worker().counters().value(Counter.ENDPOINTS_FAILED));
        assertEquals(1, client().worker().counters().value(Counter.OPERATIONS_FAILED));
        assertEquals(1, pair.client().endpoint().counters().value(Counter.OPERATIONS_FAILED));
    }

    /**
     * Posts operations that cannot complete while the server is stalled, and operations of the transport that may complete.
     *
     * @return what each may complete with
     */
    private Map<Long, Set<Status>> postEveryKind(Pair pair, Status end) {
        End client = pair.client();
        MemoryRegion region = server().context().allocate(4096, EnumSet.allOf(AccessRight.class));
        RemoteKey key = client.unpack(region);
        Map<Long, Set<Status>> ids = new HashMap<>();
        Set<Status> ended = Set.of(end);
        Set<Status> either = Set.of(Status.OK, end);
        ids.put(client.receive(buffer(8), 1), ended);
        ids.put(client.sendSynchronous(buffer(8), 2), ended);
        ids.put(client.send(buffer(LONG_MESSAGE), 3), ended);
        ids.put(client.send(buffer(8), 4), either);
        Set<Capability> can = transport().capabilities();
        if (can.contains(Capability.PUT)) {
            ids.put(client.put(buffer(64), key, 0), either);
        }
        if (can.contains(Capability.PUT_SIGNAL)) {
            ids.put(client.putSignal(buffer(64), 1, key, 0), either);
        }
        if (can.contains(Capability.GET)) {
            ids.put(client.get(buffer(64), key, 0), either);
        }
        if (can.contains(Capability.ATOMIC)) {
            ids.put(client.fetchAdd(1, key, 0), either);
        }
        if (can.contains(Capability.PUT)) {
            ids.put(client.flush(), either);
        }
        return ids;
    }

    private void assertStatuses(Map<Long, Set<Status>> ids) {
        ids.forEach((id, allowed) -> {
            Outcome outcome = client().recorder().outcome(id);
            assertTrue(allowed.contains(outcome.status()), () -> outcome + ", allowed " + allowed);
        });
    }

    private void assertAnswers(Endpoint endpoint, RemoteKey key, Status status) {
        MemorySegment buffer = buffer(8);
        Recorder recorder = client().recorder();
        assertEquals(status.code(), endpoint.send(buffer, 0, 8, 1, recorder, 0));
        assertEquals(status.code(), endpoint.sendGather(new MemorySegment[] {buffer}, 1, recorder));
        assertEquals(status.code(), endpoint.sendSynchronous(buffer, 0, 8, 1, recorder, 0));
        assertEquals(status.code(), endpoint.receive(buffer, 0, 8, 1, 1, recorder, 0));
        assertEquals(status.code(), endpoint.put(buffer, 0, 8, key, 0, recorder, 0));
        assertEquals(status.code(), endpoint.putSignal(buffer, 1, key, 0, recorder));
        assertEquals(status.code(), endpoint.get(buffer, 0, 8, key, 0, recorder, 0));
        assertEquals(status.code(), endpoint.fetchAdd(1, key, 0, recorder));
        assertEquals(status.code(), endpoint.flush(recorder));
        assertEquals(status.code(), endpoint.fence());
        progressUntilIdle();
        assertEquals(0, recorder.count());
    }

    private void assertWholeMessagesOutlive(boolean failure) {
        Pair pair = connect();
        completeOk(pair.client(), pair.client().send(pattern(64, 1), 1));
        completeOk(pair.client(), pair.client().send(pattern(64, 2), 2));
        completeOk(pair.client(), pair.client().send(pattern(64, 3), 3));
        MessageInfo info = server().worker().newMessageInfo();
        MessageInfo claimed = server().worker().newMessageInfo();
        progressUntil(() -> server().worker().probe(3, Worker.FULL_TAG_MASK, info), "the messages to arrive");
        assertTrue(server().worker().claim(3, Worker.FULL_TAG_MASK, claimed));
        if (failure) {
            pair.client().endpoint().abort();
        } else {
            pair.client().endpoint().close();
        }
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to see the end");
        MemorySegment target = buffer(192);
        long fromAny = server().receive(target.asSlice(0, 64), 1, Worker.FULL_TAG_MASK);
        long fromEndpoint = pair.server().receive(target.asSlice(64, 64), 2);
        long fromClaim = server().recorder()
                .posted(server().worker().receiveClaimed(claimed, target, 128, 64, server().recorder(), 0));
        for (long id : List.of(fromAny, fromEndpoint, fromClaim)) {
            Outcome outcome = complete(server(), id);
            assertEquals(Status.OK, outcome.status());
            assertSame(pair.server().endpoint(), outcome.source().orElseThrow());
        }
        for (int i = 0; i < 3; i++) {
            Pattern.verify(target, 64L * i, 64, i + 1);
        }
    }

    /** Ends endpoints while messages of the greatest eager length are on their way, each time a little later. */
    private void assertFoundIsReceived(Consumer<Pair> end) {
        int length = config().value(ConfigKeys.EAGER_MAX);
        MemorySegment[] sent = new MemorySegment[EAGER_MESSAGES];
        for (int i = 0; i < sent.length; i++) {
            sent[i] = pattern(length, i);
        }
        MemorySegment target = buffer(length);
        MessageInfo claimed = server().worker().newMessageInfo();
        for (int turns = 0; turns < 8; turns++) {
            Pair pair = connect();
            for (MemorySegment message : sent) {
                pair.client().send(message, 1);
            }
            for (int i = 0; i < turns; i++) {
                server().progress();
            }
            boolean claims = server().worker().claim(1, Worker.FULL_TAG_MASK, claimed);
            end.accept(pair);
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to see the end");
            int next = 0;
            if (claims) {
                assertReceivedOrLost(claimed, target, next++);
            }
            while (server().worker().probe(1, Worker.FULL_TAG_MASK, claimed)) {
                assertEquals(length, claimed.length());
                long received = server().receive(target, 1, Worker.FULL_TAG_MASK);
                assertEquals(Status.OK, complete(server(), received).status());
                Pattern.verify(target, 0, length, next++);
            }
            progressUntil(() -> client().events().ended(pair.client().endpoint()), "the client to see the end");
        }
    }

    private void assertReceivedOrLost(MessageInfo claimed, MemorySegment target, int number) {
        Recorder recorder = server().recorder();
        long posted = server().worker().receiveClaimed(claimed, target, recorder);
        if (posted > 0) {
            assertEquals(Status.OK, complete(server(), recorder.posted(posted)).status());
            Pattern.verify(target, 0, target.byteSize(), number);
        } else {
            assertTrue(posted == Endpoint.PEER_FAILED || posted == Endpoint.CLOSED, () -> "posted=" + posted);
        }
    }
}
