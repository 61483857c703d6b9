package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Graceful close: what it waits for, and which data reaches the peer. */
public class GracefulCloseContract extends TransportContract {
    private static final int LONG_MESSAGE = 1 << 20;
    private static final int ROUNDS = 4;
    private static final long LENGTH = 16L * LONG_MESSAGE;

    /** Creates the suite. */
    protected GracefulCloseContract() {}

    @Test
    @Semantics("F-18")
    void shouldDeliverWhatWasSentBeforeAClose() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("receiver");
        End client = connect(peer);
        int count = 200;
        MemorySegment source = pattern(1024L * count, 4);
        MemorySegment target = buffer(1024L * count);
        int sent = 0;
        while (sent < count) {
            MemorySegment message = source.asSlice(1024L * sent, 1024);
            long posted = client.endpoint().send(message, 0, 1024, sent, client.recorder(), 0);
            if (posted == Endpoint.BACK_PRESSURE) {
                client.side().progress();
            } else {
                client.posted(posted);
                sent++;
            }
        }
        client.endpoint().close();
        progressUntil(() -> peer.call(side -> side.events().count(Event.Kind.CLOSED)) == 1, "the goodbye to arrive");
        List<Long> ids = peer.call(side -> {
            List<Long> received = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                received.add(side.receive(target.asSlice(1024L * i, 1024), i, Worker.FULL_TAG_MASK));
            }
            return received;
        });
        progressUntil(
                () -> peer.call(
                        side -> ids.stream().allMatch(id -> side.recorder().has(id))),
                "all to be received");
        Pattern.verify(target, 0, 1024L * count, 4);
    }

    /** Short messages may travel together, and the longer one behind them by itself: the receiver reads both before the goodbye. */
    @Test
    @Semantics("F-18")
    void shouldDeliverALongerMessageBehindManyShortOnesBeforeAClose() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        int count = 40;
        long length = 20_000;
        for (int round = 0; round < 20; round++) {
            PeerThread peer = newPeerThread("receiver" + round);
            End client = connect(peer);
            MemorySegment source = pattern(length, round);
            MemorySegment target = buffer(length);
            for (int i = 0; i <= count; i++) {
                long bytes = i < count ? 8 : length;
                long posted = client.endpoint().send(source, 0, bytes, i, client.recorder(), 0);
                while (posted == Endpoint.BACK_PRESSURE) {
                    client.side().progress();
                    posted = client.endpoint().send(source, 0, bytes, i, client.recorder(), 0);
                }
                client.posted(posted);
            }
            client.endpoint().close();
            progressUntil(
                    () -> peer.call(side -> side.events().count(Event.Kind.CLOSED)) == 1, "the goodbye to arrive");
            long last = peer.call(side -> side.receive(target, count, Worker.FULL_TAG_MASK));
            progressUntil(() -> peer.call(side -> side.recorder().has(last)), "the last to be received");
            Pattern.verify(target, 0, length, round);
        }
    }

    /** The message and the goodbye may come by different ways, and at any time of the receiver's turn. */
    @Test
    @Semantics("F-18")
    void shouldDeliverTheLastMessageOfManyConnections() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("receiver");
        int rounds = repetitions(200);
        MemorySegment target = buffer(8);
        for (int round = 0; round < rounds; round++) {
            int closed = round + 1;
            End client = connect(peer);
            client.send(pattern(8, round), 1);
            progress();
            client.send(pattern(8, round), 2);
            client.endpoint().close();
            progressUntil(
                    () -> peer.call(side -> side.events().count(Event.Kind.CLOSED)) == closed, "the goodbye to arrive");
            for (int tag = 1; tag <= 2; tag++) {
                int wanted = tag;
                long received = peer.call(side -> side.receive(target, wanted, Worker.FULL_TAG_MASK));
                progressUntil(() -> peer.call(side -> side.recorder().has(received)), "message " + tag);
                Pattern.verify(target, 0, 8, round);
            }
        }
    }

    @Test
    @Semantics("F-73")
    void shouldDeliverWhatWasSentBeforeTheListenersNextTurn() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        int count = 10;
        MemorySegment source = pattern(1024L * count, 6);
        MemorySegment target = buffer(1024L * count);
        Endpoint endpoint = client().connect(server());
        // The listener has no turn after the connector's.
        driveUntil(
                server(),
                () -> {
                    client().progress();
                    return endpoint.state() != EndpointState.CONNECTING;
                },
                "the connector to be connected");
        End connector = new End(client(), endpoint);
        for (int i = 0; i < count; i++) {
            connector.send(source.asSlice(1024L * i, 1024), i);
        }
        endpoint.startClose();
        // A transport may need the listener for its close.
        int[] turns = {0};
        driveUntil(
                client(),
                () -> endpoint.state() == EndpointState.CLOSED || ++turns[0] > 1000,
                "the connector to have closed, or to wait for the listener");
        progressUntil(() -> server().events().count(Event.Kind.CLOSED) == 1, "the goodbye to arrive");
        assertEquals(1, server().events().count(Event.Kind.CONNECTED));
        List<Long> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(server().receive(target.asSlice(1024L * i, 1024), i, Worker.FULL_TAG_MASK));
        }
        progressUntil(() -> ids.stream().allMatch(id -> server().recorder().has(id)), "all to be received");
        Pattern.verify(target, 0, 1024L * count, 6);
    }

    @Test
    @Semantics("F-19")
    void shouldFinishALongMessageBeforeAClose() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("receiver");
        End client = connect(peer);
        MemorySegment target = buffer(16L * LONG_MESSAGE);
        long received = peer.call(side -> side.receive(target, 1, Worker.FULL_TAG_MASK));
        long sent = client.send(pattern(16L * LONG_MESSAGE, 6), 1);
        client.endpoint().close();
        assertEquals(Status.OK, client.recorder().outcome(sent).status());
        progressUntil(() -> peer.call(side -> side.recorder().has(received)), "the message to be received");
        assertEquals(
                Status.OK, peer.call(side -> side.recorder().outcome(received)).status());
        Pattern.verify(target, 0, target.byteSize(), 6);
    }

    @Test
    @Semantics("F-75")
    void shouldNotWaitForALongMessageThatItReceives() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        MemorySegment source = pattern(4 * LENGTH, 7);
        MemorySegment target = buffer(4 * LENGTH);
        for (int round = 0; round < ROUNDS; round++) {
            PeerThread peer = newPeerThread("sender-" + round);
            End client = connect(peer);
            long received = client.receive(target, 1);
            long sent = peer.call(side -> new End(side, side.events().lastConnected()).send(source, 1));
            for (int turn = 0; turn < 3 * round; turn++) {
                client.side().progress();
            }
            client.endpoint().close();
            Status end = client.recorder().outcome(received).status();
            assertTrue(end == Status.CLOSED || end == Status.OK, end::toString);
            if (end == Status.OK) {
                Pattern.verify(target, 0, target.byteSize(), 7);
            }
            assertEquals(EndpointState.CLOSED, client.endpoint().state());
            progressUntil(() -> peer.call(side -> side.recorder().has(sent)), "the send to end");
            Status sender = peer.call(side -> side.recorder().outcome(sent)).status();
            assertTrue(sender == Status.CLOSED || sender == Status.OK, sender::toString);
            progressUntil(
                    () -> peer.call(side -> side.events().ended(side.events().lastConnected())),
                    "the goodbye to arrive");
            int goodbyes = peer.call(side -> side.events().count(Event.Kind.CLOSED));
            assertEquals(1, goodbyes, "a goodbye became a failure");
            peer.close();
        }
    }

    @Test
    @Semantics("F-21")
    void shouldDeliverSignalsBeforeTheEnd() {
        requires(Capability.PUT_SIGNAL);
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        PeerThread peer = newPeerThread("signalled");
        End client = connect(peer);
        byte[] packed = peer.call(side ->
                side.context().allocate(64, EnumSet.allOf(AccessRight.class)).packedKey());
        RemoteKey key = client.endpoint().unpack(packed);
        for (int i = 1; i <= 10; i++) {
            client.putSignal(pattern(8, i), i, key, 0);
        }
        client.endpoint().close();
        progressUntil(() -> peer.call(side -> side.events().count(Event.Kind.CLOSED)) == 1, "the goodbye to arrive");
        List<Long> signals =
                peer.call(side -> side.events().signals(side.events().lastConnected()));
        assertEquals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L), signals);
    }

    @Test
    @Semantics("F-60")
    void shouldDeliverAllBeforeACloseThoughThePeerSendsMeanwhile() {
        for (int round = 0; round < ROUNDS; round++) {
            closeWhileThePeerSends(round, client -> client.endpoint().close());
        }
    }

    @Test
    @Semantics("F-60")
    void shouldDeliverAllBeforeTheCloseOfAWorkerThoughThePeerSendsMeanwhile() {
        for (int round = 0; round < ROUNDS; round++) {
            closeWhileThePeerSends(round, client -> discard(client.side()));
        }
    }

    @Test
    @Semantics({"F-62", "L-14"})
    void shouldSayGoodbyeThoughOperationsWaitUntilTheTimeIsOver() {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(1));
        PeerThread peer = newPeerThread("idle");
        End client = connect(peer);
        long longSend = client.send(pattern(LONG_MESSAGE, 1), 1);
        long unmatched = client.posted(client.endpoint().sendSynchronous(pattern(8, 2), 0, 8, 2, client.recorder(), 0));
        client.endpoint().close();
        assertEquals(Status.CLOSED, client.recorder().outcome(longSend).status());
        assertEquals(Status.CLOSED, client.recorder().outcome(unmatched).status());
        progressUntil(
                () -> peer.call(side -> side.events().count(Event.Kind.CLOSED)
                                + side.events().count(Event.Kind.FAILED))
                        == 1,
                "the end to arrive");
        int goodbyes = peer.call(side -> side.events().count(Event.Kind.CLOSED));
        assertEquals(1, goodbyes, "a goodbye became a failure");
    }

    @Test
    @Semantics("F-61")
    void shouldCloseAWorkerThoughItsPeersDoNotHangUp() {
        PeerThread peer = newPeerThread("silent");
        List<End> ends = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            ends.add(connect(peer));
        }
        peer.stall();
        client().worker().close();
        for (End end : ends) {
            assertEquals(EndpointState.CLOSED, end.endpoint().state());
        }
        peer.goOn();
        while (peer.call(side -> side.events().count(Event.Kind.CLOSED)) < 8) {
            Thread.yield();
        }
    }

    @Test
    @Semantics("L-34")
    void shouldBeClosedByThePeerWhenAllHasCompleted() {
        // Messages that the peer receives, all of them, so that the close ends by itself and not because its time is
        // over;
        // and only started, because the one thread has to let the peer take what is on its way.
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        assertEndsWithItsOperations(5, pair -> pair.client().endpoint().startClose(), EndpointState.CLOSED);
    }

    @Test
    @Semantics("L-34")
    void shouldHaveFailedWhenAllHasCompleted() {
        assertEndsWithItsOperations(50, pair -> pair.client().endpoint().abort(), EndpointState.FAILED);
    }

    @Test
    @Semantics("L-34")
    void shouldBeClosedByThisSideWhenAllHasCompleted() {
        assertEndsWithItsOperations(50, pair -> pair.server().endpoint().startClose(), EndpointState.CLOSED);
    }

    @Test
    @Semantics("L-34")
    void shouldFailToConnectWhenTheHandlerIsTold() {
        Side refusing = newSide("refusing");
        InetSocketAddress address = refusing.listener().address();
        refusing.listener().close();
        Endpoint endpoint = client().connect(address);
        List<EndpointState> seen = new ArrayList<>(List.of(endpoint.state()));
        progressUntil(
                () -> {
                    if (seen.getLast() != endpoint.state()) {
                        seen.add(endpoint.state());
                    }
                    return endpoint.state() == EndpointState.FAILED;
                },
                "the client to be refused");
        assertTrue(client().events().ended(endpoint), "its state is an end and its handler was not told");
        assertEquals(List.of(EndpointState.CONNECTING, EndpointState.FAILED), seen);
    }

    @Test
    @Semantics("L-34")
    void shouldCompleteAReceiveThatTheHandlerOfAnotherEndpointPostsBeforeTheEnd() {
        assertEndsWithTheReceiveOfAnotherHandler(0);
        assertEndsWithTheReceiveOfAnotherHandler(1);
    }

    /** Ends two endpoints in one turn. The first one's handler posts a receive on the other, which a waiting message matches. */
    private void assertEndsWithTheReceiveOfAnotherHandler(int first) {
        List<Pair> pairs = List.of(connect(), connect());
        for (Pair pair : pairs) {
            pair.client().send(pattern(8, 1), 4);
        }
        progressUntil(
                () -> server().worker().counters().value(Counter.UNEXPECTED_NOW) == 2, "the messages to be waiting");
        List<Endpoint> endpoints =
                pairs.stream().map(pair -> pair.server().endpoint()).toList();
        List<Long> posted = new ArrayList<>();
        server().events().also(new EndpointHandler() {
            @Override
            public void closed(Endpoint closed) {
                int other = 1 - endpoints.indexOf(closed);
                if (posted.isEmpty()) {
                    assertEquals(EndpointState.CLOSING, endpoints.get(other).state());
                    posted.add(pairs.get(other).server().receive(buffer(8), 4));
                }
            }
        });
        long cancelled = server().receive(buffer(8), 5, Worker.FULL_TAG_MASK, request -> {
            server().recorder().completed(request);
            endpoints.get(first).abort();
            endpoints.get(1 - first).abort();
        });
        assertTrue(server().worker().cancel(cancelled));
        progressUntil(() -> endpoints.stream().allMatch(server().events()::ended), "both endpoints to end");
        server().events().also(EndpointHandler.NONE);
        assertEquals(1, posted.size());
        // Every case checks that it has completed before the end was reported.
        assertEquals(Status.OK, server().recorder().outcome(posted.getFirst()).status());
        // The message that nobody has received yet.
        complete(server(), server().receive(buffer(8), 4, Worker.FULL_TAG_MASK));
    }

    /** Ends an endpoint with receives of long messages under way, and looks at it in every turn. The recorder looks in every completion. */
    private void assertEndsWithItsOperations(int messages, Consumer<Pair> ending, EndpointState end) {
        Pair pair = connect();
        MemorySegment message = buffer(LENGTH);
        MemorySegment target = buffer(LENGTH);
        for (int i = 0; i < messages; i++) {
            long length = i % 3 == 0 ? LENGTH : 1000;
            long posted = pair.client().endpoint().send(message, 0, length, 4, client().recorder(), 0);
            if (posted > 0) {
                pair.client().posted(posted);
            }
        }
        for (int i = 0; i < 8; i++) {
            pair.server().receive(target, 4);
        }
        for (int i = 0; i < 20; i++) {
            progress();
        }
        Endpoint endpoint = pair.server().endpoint();
        EndpointState[] told = new EndpointState[1];
        server().events().also(new EndpointHandler() {
            @Override
            public void closed(Endpoint closed) {
                told[0] = closed.state();
            }

            @Override
            public void failed(Endpoint failed, FairleadException cause) {
                told[0] = failed.state();
            }
        });
        ending.accept(pair);
        progressUntil(
                () -> endpoint.state() == EndpointState.CLOSED || endpoint.state() == EndpointState.FAILED,
                "the endpoint to end");
        assertTrue(server().events().ended(endpoint), "its state is an end and its handler was not told");
        assertEquals(0, server().recorder().outstanding(endpoint), () -> "it has ended with operations: " + server());
        assertEquals(List.of(end, end), List.of(told[0], endpoint.state()));
    }

    private void closeWhileThePeerSends(int round, Consumer<End> close) {
        configure(ConfigKeys.CLOSE_TIMEOUT, Duration.ofSeconds(60));
        // Enough for the talker to go on until the end, though nobody receives what it says.
        configure(ConfigKeys.CREDIT_BYTES, 32 << 20);
        MemorySegment target = buffer(LENGTH);
        MemorySegment word = buffer(1024);
        PeerThread peer = newPeerThread("talker-" + round);
        Side from = newSide("closer-" + round);
        Endpoint endpoint = from.connect(peer.address());
        progressUntil(() -> endpoint.state() == EndpointState.CONNECTED, "the closer to be connected");
        progressUntil(
                () -> peer.call(side -> side.events().count(Event.Kind.CONNECTED)) == 1, "the talker to be connected");
        CompletableFuture<Status> received = peer.submit(side -> talkUntilTheEnd(side, target, word));
        End client = new End(from, endpoint);
        long sent = client.send(pattern(LENGTH, round), 1);
        close.accept(client);
        assertEquals(Status.OK, from.recorder().outcome(sent).status());
        assertEquals(EndpointState.CLOSED, endpoint.state());
        progressUntil(received::isDone, "the talker to hear the goodbye");
        assertEquals(Status.OK, received.join(), "the message that was sent before the close");
        Pattern.verify(target, 0, LENGTH, round);
        int goodbyes = peer.call(side -> side.events().count(Event.Kind.CLOSED));
        assertEquals(1, goodbyes, "a goodbye became a failure");
        peer.close();
    }

    /** Receives one message in slow turns while sending all the time, until the peer has gone. Returns the receive's status. */
    private static Status talkUntilTheEnd(Side side, MemorySegment target, MemorySegment word) {
        End end = new End(side, side.events().lastConnected());
        long receive = end.receive(target, 1);
        long deadline = System.nanoTime() + Duration.ofSeconds(50).toNanos();
        while (!side.events().ended(end.endpoint())) {
            for (int i = 0; i < 8; i++) {
                long posted = end.endpoint().send(word, 0, 1024, 7, side.recorder(), 0);
                if (posted > 0) {
                    end.posted(posted);
                }
            }
            side.progress();
            LockSupport.parkNanos(500_000);
            assertTrue(System.nanoTime() - deadline < 0, () -> "the goodbye did not arrive: " + side);
        }
        return side.recorder().outcome(receive).status();
    }
}
