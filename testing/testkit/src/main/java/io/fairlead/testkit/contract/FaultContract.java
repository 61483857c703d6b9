package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MemoryRegion;
import io.fairlead.MessageInfo;
import io.fairlead.Path;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import io.fairlead.testkit.fault.FaultInjectingProvider;
import io.fairlead.testkit.fault.FaultPlan;
import io.fairlead.testkit.fault.FaultPlan.Kind;
import io.fairlead.testkit.fault.FaultPlan.Setup;
import io.fairlead.testkit.internal.SpareProvider;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Operations of every kind on a transport that fails at chosen operations. */
public class FaultContract extends TransportContract {
    /** Longer than any transport sends without waiting for the receive. */
    private static final int LONG_MESSAGE = 1 << 20;

    private final FaultPlan clientPlan = new FaultPlan();
    private final FaultPlan serverPlan = new FaultPlan();

    /** Creates the suite. */
    protected FaultContract() {}

    /** A pair over the decorated transport, and what its client needs to post any kind of operation. */
    private final class Rig {
        final Side faultyServer =
                newSide("server", List.of(new FaultInjectingProvider(transport().provider(), serverPlan)));
        final Side faultyClient =
                newSide("client", List.of(new FaultInjectingProvider(transport().provider(), clientPlan)));
        final Pair other = connect(faultyClient, faultyServer);
        final Pair pair = connect(faultyClient, faultyServer);
        final MemoryRegion region = faultyServer.context().allocate(4096, EnumSet.allOf(AccessRight.class));
        final RemoteKey key = pair.client().unpack(region);
        final MemorySegment buffer = buffer(64);

        /** Posts an operation of a kind that completes by itself if nothing goes wrong; returns what the post returned. */
        long post(Kind kind) {
            End client = pair.client();
            Recorder recorder = client.recorder();
            return switch (kind) {
                case SEND -> client.endpoint().send(buffer, 0, 64, 1, recorder, 0);
                case RECEIVE -> {
                    pair.server().send(buffer, 2);
                    yield client.endpoint().receive(buffer, 0, 64, 2, Worker.FULL_TAG_MASK, recorder, 0);
                }
                case PUT -> client.endpoint().put(buffer, 0, 64, key, 0, recorder, 0);
                case GET -> client.endpoint().get(buffer, 0, 64, key, 0, recorder, 0);
                case ATOMIC -> client.endpoint().fetchAdd(1, key, 0, recorder);
                case FLUSH -> client.endpoint().flush(recorder);
            };
        }

        long posted(Kind kind) {
            return pair.client().posted(post(kind));
        }

        /** The second pair of the same workers works as if nothing had happened. */
        void assertOtherUntouched() {
            assertEquals(EndpointState.CONNECTED, other.client().endpoint().state());
            MemorySegment target = buffer(16);
            long received = other.server().receive(target, 5);
            other.client().send(pattern(16, 5), 5);
            completeOk(other.server(), received);
            Pattern.verify(target, 0, 16, 5);
            completeAll(faultyClient);
        }
    }

    @Test
    @Semantics({"K-13", "C-55"})
    void shouldTakeAnotherPathFromAWorkerThatLacksTheTransport() {
        assertFallsBack(
                lackingSide("client", clientPlan),
                wholeSide("server"),
                " is not offered by the connector",
                lack("connector"));
    }

    @Test
    @Semantics({"K-13", "C-55"})
    void shouldTakeAnotherPathToAWorkerThatLacksTheTransport() {
        assertFallsBack(wholeSide("client"), lackingSide("server", serverPlan), lack("listener"), lack("listener"));
    }

    @Test
    @Semantics("F-30")
    void shouldFailASendWhenTheConnectionBreaks() {
        assertBroken(Kind.SEND);
    }

    @Test
    @Semantics("F-30")
    void shouldFailAReceiveWhenTheConnectionBreaks() {
        assertBroken(Kind.RECEIVE);
    }

    @Test
    @Semantics("F-30")
    void shouldFailAPutWhenTheConnectionBreaks() {
        requires(Capability.PUT);
        assertBroken(Kind.PUT);
    }

    @Test
    @Semantics("F-30")
    void shouldFailAGetWhenTheConnectionBreaks() {
        requires(Capability.GET);
        assertBroken(Kind.GET);
    }

    @Test
    @Semantics("F-30")
    void shouldFailAnAtomicWhenTheConnectionBreaks() {
        requires(Capability.ATOMIC);
        assertBroken(Kind.ATOMIC);
    }

    @Test
    @Semantics("F-30")
    void shouldFailAFlushWhenTheConnectionBreaks() {
        requires(Capability.PUT);
        assertBroken(Kind.FLUSH);
    }

    @Test
    @Semantics("F-31")
    void shouldFailASendWhenTheTransportGivesUp() {
        assertSevered(Kind.SEND);
    }

    @Test
    @Semantics("F-31")
    void shouldFailAReceiveWhenTheTransportGivesUp() {
        assertSevered(Kind.RECEIVE);
    }

    @Test
    @Semantics("F-31")
    void shouldFailAPutWhenTheTransportGivesUp() {
        requires(Capability.PUT);
        assertSevered(Kind.PUT);
    }

    @Test
    @Semantics("F-31")
    void shouldFailAGetWhenTheTransportGivesUp() {
        requires(Capability.GET);
        assertSevered(Kind.GET);
    }

    @Test
    @Semantics("F-31")
    void shouldFailAnAtomicWhenTheTransportGivesUp() {
        requires(Capability.ATOMIC);
        assertSevered(Kind.ATOMIC);
    }

    @Test
    @Semantics("F-31")
    void shouldFailAFlushWhenTheTransportGivesUp() {
        requires(Capability.PUT);
        assertSevered(Kind.FLUSH);
    }

    @Test
    @Semantics("F-32")
    void shouldAnswerBackPressureWhileTheTransportHasNoRoom() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        Rig rig = new Rig();
        for (Kind kind : List.of(Kind.SEND, Kind.PUT, Kind.GET, Kind.ATOMIC, Kind.FLUSH)) {
            clientPlan.refuse(kind, 3);
            for (int i = 0; i < 3; i++) {
                assertEquals(Endpoint.BACK_PRESSURE, rig.post(kind), kind::toString);
                progress();
            }
            assertEquals(
                    Status.OK, complete(rig.pair.client(), rig.posted(kind)).status(), kind::toString);
        }
        assertEquals(5, rig.faultyClient.recorder().count());
    }

    @Test
    @Semantics("F-33")
    void shouldTakeBackEverythingOfARefusedPost() {
        Rig rig = new Rig();
        clientPlan.refuse(Kind.SEND, 100_000);
        // Many more bytes than there are credits: each refused post must have given its own back.
        for (int i = 0; i < 100_000; i++) {
            assertEquals(Endpoint.BACK_PRESSURE, rig.post(Kind.SEND));
        }
        clientPlan.reset();
        MemorySegment target = buffer(64);
        long received = rig.pair.server().receive(target, 1);
        assertEquals(
                Status.OK, complete(rig.pair.client(), rig.posted(Kind.SEND)).status());
        completeOk(rig.pair.server(), received);
    }

    @Test
    @Semantics("F-34")
    void shouldCompleteOnceHoweverLateTheTransportIs() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        Rig rig = new Rig();
        for (Kind kind : Kind.values()) {
            clientPlan.delay(kind, 50);
        }
        rig.pair.server().receive(buffer(64), 1);
        for (Kind kind : Kind.values()) {
            long id = rig.posted(kind);
            for (int i = 0; i < 20; i++) {
                progress();
                assertFalse(rig.faultyClient.recorder().has(id), kind::toString);
            }
            assertEquals(Status.OK, complete(rig.pair.client(), id).status(), kind::toString);
        }
    }

    @Test
    @Semantics("F-35")
    void shouldCompleteWhatIsLateWhenItsEndpointEnds() {
        Rig rig = new Rig();
        for (Kind kind : Kind.values()) {
            clientPlan.delay(kind, 1_000_000);
        }
        rig.pair.server().receive(buffer(64), 1);
        long sent = rig.posted(Kind.SEND);
        long received = rig.posted(Kind.RECEIVE);
        progressUntil(() -> clientPlan.seen(Kind.RECEIVE) == 1, "the message to arrive");
        rig.pair.client().endpoint().abort();
        Set<Status> allowed = Set.of(Status.OK, Status.CLOSED);
        assertTrue(allowed.contains(rig.faultyClient.recorder().outcome(sent).status()));
        assertTrue(
                allowed.contains(rig.faultyClient.recorder().outcome(received).status()));
        clientPlan.reset();
        rig.assertOtherUntouched();
    }

    @Test
    @Semantics("F-36")
    void shouldLeaveNothingOfAFailedRegistration() {
        Rig rig = new Rig();
        clientPlan.failRegistrationAt(1);
        FairleadException failure = assertThrows(
                FairleadException.class, () -> rig.faultyClient.context().allocate(1 << 20, Set.of(AccessRight.READ)));
        assertEquals(Reason.REGISTRATION_FAILED, failure.reason());
        MemorySegment own = buffer(64);
        clientPlan.reset();
        clientPlan.failRegistrationAt(1);
        assertThrows(FairleadException.class, () -> rig.faultyClient.context().register(own, Set.of(AccessRight.READ)));
        rig.faultyClient.context().register(own, Set.of(AccessRight.READ)).close();
        rig.assertOtherUntouched();
    }

    @Test
    @Semantics({"N-08", "N-17"})
    void shouldFreeTheMessagesThatAreLostWithTheirEndpoint() {
        Rig rig = new Rig();
        MemorySegment longMessage = buffer(LONG_MESSAGE);
        for (int i = 0; i < 8; i++) {
            completeOk(rig.pair.client(), rig.pair.client().send(rig.buffer, 1));
            rig.pair.client().send(longMessage, 2);
        }
        Worker receiver = rig.faultyServer.worker();
        progressUntil(() -> serverPlan.held() == 16, "the messages to be announced");
        MessageInfo whole = receiver.newMessageInfo();
        MessageInfo lost = receiver.newMessageInfo();
        assertTrue(receiver.claim(1, Worker.FULL_TAG_MASK, whole));
        assertTrue(receiver.claim(2, Worker.FULL_TAG_MASK, lost));
        rig.pair.client().endpoint().abort();
        progressUntil(() -> rig.faultyServer.events().ended(rig.pair.server().endpoint()), "the server to notice");
        assertEquals(0, serverPlan.held(), "messages that an ended transport still holds");
        assertEquals(7, receiver.counters().value(Counter.UNEXPECTED_NOW), "messages that were whole");
        Recorder recorder = rig.faultyServer.recorder();
        long received = recorder.posted(receiver.receiveClaimed(whole, buffer(64), 0, 64, recorder, 0));
        assertEquals(Status.OK, complete(rig.faultyServer, received).status());
        assertEquals(Endpoint.PEER_FAILED, receiver.receiveClaimed(lost, buffer(64), 0, 64, recorder, 0));
        rig.assertOtherUntouched();
        discard(rig.faultyServer);
    }

    @Test
    @Semantics("F-65")
    void shouldTakeBackEverythingOfAPostThatThrows() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        configure(ConfigKeys.OPERATIONS_MAX, 64);
        Rig rig = new Rig();
        Endpoint endpoint = rig.pair.client().endpoint();
        Recorder recorder = rig.faultyClient.recorder();
        MemorySegment[] parts = {rig.buffer, rig.buffer};
        Completion.Immediate never = request -> fail("a completion of a post that threw: " + request);
        List<LongSupplier> posts = List.of(
                () -> endpoint.send(rig.buffer, 0, 64, 1, never, 0),
                () -> endpoint.sendSynchronous(rig.buffer, 0, 64, 1, recorder, 0),
                () -> endpoint.sendGather(parts, 1, recorder),
                () -> endpoint.put(rig.buffer, 0, 64, rig.key, 0, never, 0),
                () -> endpoint.putSignal(rig.buffer.asSlice(0, 64), 1, rig.key, 0, recorder),
                () -> endpoint.get(rig.buffer, 0, 64, rig.key, 0, recorder, 0),
                () -> endpoint.fetchAdd(1, rig.key, 0, recorder),
                () -> endpoint.flush(recorder));
        for (Kind kind : List.of(Kind.SEND, Kind.PUT, Kind.GET, Kind.ATOMIC, Kind.FLUSH)) {
            clientPlan.throwAt(kind, 10_000);
        }
        // Many more than there are operations, and sends than there are credits.
        for (int i = 0; i < 1000; i++) {
            for (LongSupplier post : posts) {
                IllegalStateException thrown = assertThrows(IllegalStateException.class, post::getAsLong);
                assertMentions("fault plan", thrown);
            }
        }
        assertEquals(0, rig.faultyClient.worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        assertEquals(0, endpoint.counters().value(Counter.OPERATIONS_IN_FLIGHT));
        clientPlan.reset();
        long received = rig.pair.server().receive(buffer(64), 1);
        for (Kind kind : List.of(Kind.SEND, Kind.PUT, Kind.GET, Kind.ATOMIC, Kind.FLUSH)) {
            assertEquals(
                    Status.OK, complete(rig.pair.client(), rig.posted(kind)).status(), kind::toString);
        }
        completeOk(rig.pair.server(), received);
        rig.pair.client().unpack(rig.region).close();
        rig.assertOtherUntouched();
    }

    @Test
    @Semantics("D-31")
    void shouldFailOneEndpointAloneWhenItsTransportThrows() {
        Rig rig = new Rig();
        long ofOne = rig.pair.client().receive(buffer(64), 2);
        long ofAny = rig.faultyClient.receive(buffer(64), 3, Worker.FULL_TAG_MASK);
        clientPlan.throwAt(Kind.RECEIVE, 1);
        rig.pair.server().send(rig.buffer, 2);
        assertEquals(Status.PEER_FAILED, complete(rig.faultyClient, ofOne).status());
        progressUntil(
                () -> rig.faultyClient.events().ended(rig.pair.client().endpoint())
                        && rig.faultyServer.events().ended(rig.pair.server().endpoint()),
                "both ends to notice");
        FairleadException failure = rig.pair.client().endpoint().failure().orElseThrow();
        assertEquals(Reason.TRANSPORT, failure.reason());
        assertMentions("thrown by the fault plan", failure);
        rig.other.server().send(rig.buffer, 3);
        completeOk(rig.other.client(), ofAny);
        rig.assertOtherUntouched();
    }

    @Test
    @Semantics("D-47")
    void shouldFailOneEndpointAloneWhenItsTransportThrowsInTheHandshake() {
        Rig rig = new Rig();
        for (Setup setup : Setup.values()) {
            for (FaultPlan plan : List.of(clientPlan, serverPlan)) {
                for (Throwable thrown : List.of(
                        new IllegalStateException("thrown by the fault plan: " + setup),
                        new OutOfMemoryError("thrown by the fault plan: " + setup),
                        new Exception("thrown by the fault plan: " + setup))) {
                    int ended = endedAt(rig.faultyServer);
                    connectWhileItThrows(rig, plan.throwAt(setup, thrown), setup);
                    plan.reset();
                    progressUntil(() -> endedAt(rig.faultyServer) > ended, "the server's side to end");
                }
            }
        }
        rig.assertOtherUntouched();
        Pair again = connect(rig.faultyClient, rig.faultyServer);
        assertEquals(EndpointState.CONNECTED, again.client().endpoint().state());
    }

    private static int endedAt(Side side) {
        return side.events().count(Event.Kind.FAILED) + side.events().count(Event.Kind.CLOSED);
    }

    /** Connects, and expects the end of both sides unless the transport has no such call. */
    private void connectWhileItThrows(Rig rig, FaultPlan plan, Setup setup) {
        Side thrower = plan == clientPlan ? rig.faultyClient : rig.faultyServer;
        int accepted = rig.faultyServer.events().count(Event.Kind.CONNECTED);
        int failed = thrower.events().count(Event.Kind.FAILED);
        Endpoint endpoint = rig.faultyClient.connect(rig.faultyServer);
        progressUntil(
                () -> rig.faultyClient.events().ended(endpoint)
                        || (plan.awaits(setup)
                                && endpoint.state() == EndpointState.CONNECTED
                                && rig.faultyServer.events().count(Event.Kind.CONNECTED) > accepted),
                "the endpoint to fail, or to be connected without the call " + setup);
        if (plan.awaits(setup)) {
            endpoint.close();
            return;
        }
        assertEquals(EndpointState.FAILED, endpoint.state());
        progressUntil(() -> thrower.events().count(Event.Kind.FAILED) > failed, "the side that throws to fail");
        FairleadException cause = thrower.events().all().stream()
                .filter(event -> event.kind() == Event.Kind.FAILED)
                .toList()
                .getLast()
                .cause()
                .orElseThrow();
        assertMentions("thrown by the fault plan", cause);
        assertTrue(Set.of(Reason.TRANSPORT, Reason.LIMIT_REACHED).contains(cause.reason()), cause::toString);
    }

    @Test
    @Semantics("D-32")
    void shouldCloseAWorkerWhoseTransportIsBroken() {
        Rig rig = new Rig();
        rig.pair.server().receive(buffer(64), 9);
        List<Long> inFlight = List.of(
                rig.pair.client().receive(buffer(64), 2),
                rig.faultyClient.receive(buffer(64), 3, Worker.FULL_TAG_MASK),
                rig.pair.client().sendSynchronous(rig.buffer, 7),
                rig.other.client().sendSynchronous(rig.buffer, 7));
        clientPlan.breakProgress();
        assertThrows(
                IllegalStateException.class, () -> rig.faultyClient.worker().progress());
        rig.faultyClient.close();
        for (long id : inFlight) {
            assertTrue(
                    Set.of(Status.CLOSED, Status.CANCELLED)
                            .contains(rig.faultyClient.recorder().outcome(id).status()),
                    () -> rig.faultyClient.recorder().outcome(id).toString());
        }
        clientPlan.reset();
    }

    private void assertBroken(Kind kind) {
        Rig rig = new Rig();
        clientPlan.reset();
        clientPlan.dropPeerAt(kind, 1);
        long id = rig.posted(kind);
        assertEquals(Status.PEER_FAILED, complete(rig.faultyClient, id).status());
        progressUntil(
                () -> rig.faultyClient.events().ended(rig.pair.client().endpoint())
                        && rig.faultyServer.events().ended(rig.pair.server().endpoint()),
                "both ends to notice");
        assertEquals(
                Reason.PEER_LOST,
                rig.pair.client().endpoint().failure().orElseThrow().reason());
        assertEquals(
                Reason.PEER_LOST,
                rig.pair.server().endpoint().failure().orElseThrow().reason());
        rig.assertOtherUntouched();
    }

    private void assertSevered(Kind kind) {
        Rig rig = new Rig();
        clientPlan.reset();
        clientPlan.severAt(kind, 1);
        long id = rig.posted(kind);
        assertEquals(Status.PEER_FAILED, complete(rig.faultyClient, id).status());
        progressUntil(
                () -> rig.faultyClient.events().ended(rig.pair.client().endpoint())
                        && rig.faultyServer.events().ended(rig.pair.server().endpoint()),
                "both ends to notice");
        assertEquals(
                Reason.TRANSPORT,
                rig.pair.client().endpoint().failure().orElseThrow().reason());
        rig.assertOtherUntouched();
    }

    /** A side whose worker lacks the transport and has another. */
    private Side lackingSide(String name, FaultPlan plan) {
        plan.failWorkers(1);
        configure(ConfigKeys.TRANSPORTS, "");
        return newSide(name, List.of(new FaultInjectingProvider(transport().provider(), plan), new SpareProvider()));
    }

    private Side wholeSide(String name) {
        configure(ConfigKeys.TRANSPORTS, "");
        return newSide(name, List.of(transport().provider(), new SpareProvider()));
    }

    private static String lack(String where) {
        return " is unavailable at the " + where + ": worker not made by the fault plan";
    }

    private void assertFallsBack(Side from, Side to, String listenersReason, String connectorsReason) {
        Pair pair = connect(from, to);
        assertSpare(pair.server(), listenersReason);
        assertSpare(pair.client(), connectorsReason);
        long received = pair.server().receive(buffer(16), 5);
        pair.client().send(pattern(16, 5), 5);
        completeOk(pair.server(), received);
        completeAll(from);
    }

    private void assertSpare(End end, String lack) {
        Path path = end.endpoint().path().orElseThrow();
        assertEquals(SpareProvider.NAME, path.transport(), path::toString);
        assertTrue(path.reason().contains(transport().name() + lack), path::reason);
    }
}
