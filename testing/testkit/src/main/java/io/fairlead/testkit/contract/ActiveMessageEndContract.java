package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Authorizer;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PeerIdentity;
import io.fairlead.Status;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.LayerWorker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Limits of active messages, and what their endpoints' ends do to them. */
public class ActiveMessageEndContract extends ActiveMessageCases {
    /** Creates the suite. */
    protected ActiveMessageEndContract() {}

    @Test
    @Semantics("M-13")
    void shouldStopASenderWhoseMessagesAreKept() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        MemorySegment header = pattern(32, 1);
        MemorySegment payload = pattern(1000, 2);
        End client = pair.client();
        int taken = postUntilStopped(
                () -> post(client, client.endpoint().sendActive(NUMBER, header, payload, client.recorder())),
                CREDIT_BYTES);
        completeAll(client());
        assertTrue(taken * 1000L <= CREDIT_BYTES, "taken=" + taken);
        assertEquals(taken, kept.size());
        kept.forEach(ActiveMessage::release);
        kept.clear();
        postWhenTaken(() -> post(client, client.endpoint().sendActive(NUMBER, header, payload, client.recorder())));
        progressUntil(() -> kept.size() == 1, "the message behind to be handled");
        kept.remove().release();
    }

    @Test
    @Semantics("M-13")
    void shouldStopASenderOfEmptyAndOfLongMessagesThatAreKept() {
        for (long length : new long[] {0, EAGER_MAX + 1L}) {
            configure(ConfigKeys.OPERATIONS_MAX, 1 << 14);
            Pair pair = connect(newSide("client of " + length), newSide("server of " + length));
            pair.server().worker().register(NUMBER, this::keep);
            MemorySegment header = pattern(32, 1);
            MemorySegment payload = pattern(length, 2);
            End client = pair.client();
            int taken = postUntilStopped(
                    () -> post(client, client.endpoint().sendActive(NUMBER, header, payload, client.recorder())),
                    CREDIT_BYTES);
            assertTrue(taken > 0 && taken * 32L <= CREDIT_BYTES, "taken=" + taken);
            progressUntil(() -> kept.size() == taken, "all to be kept");
            kept.forEach(ActiveMessage::release);
            kept.clear();
            completeAll(client.side());
        }
    }

    @Test
    @Semantics("M-14")
    void shouldReturnTheCreditsOfHandledMessages() {
        Pair pair = connect();
        long[] handled = {0};
        pair.server().worker().register(NUMBER, _ -> handled[0]++);
        MemorySegment payload = pattern(EAGER_MAX, 1);
        int count = 20 * CREDIT_BYTES / EAGER_MAX;
        End client = pair.client();
        for (int i = 0; i < count; i++) {
            postWhenTaken(
                    () -> post(client, client.endpoint().sendActive(NUMBER, buffer(0), payload, client.recorder())));
        }
        progressUntil(() -> handled[0] == count, "all messages to be handled");
        completeAll(client());
    }

    @Test
    @Semantics("M-20")
    void shouldRefuseNumbersAndHeadersOutOfRange() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        Endpoint endpoint = pair.client().endpoint();
        MemorySegment ok = buffer(8);
        for (int number : new int[] {-1, LayerWorker.LAYER_HANDLER_MAX + 1}) {
            assertMentions(
                    "number=" + number,
                    assertThrows(
                            IllegalArgumentException.class,
                            () -> endpoint.sendActive(number, ok, ok, client().recorder())));
        }
        MemorySegment tooLong = buffer(ActiveMessage.HEADER_MAX + 1L);
        assertMentions(
                "length=" + (ActiveMessage.HEADER_MAX + 1),
                assertThrows(
                        IllegalArgumentException.class,
                        () -> endpoint.sendActive(NUMBER, tooLong, ok, client().recorder())));
        MemorySegment heap = MemorySegment.ofArray(new byte[8]);
        assertThrows(IllegalArgumentException.class, () -> endpoint.sendActive(NUMBER, heap, ok, client().recorder()));
        assertThrows(IllegalArgumentException.class, () -> endpoint.sendActive(NUMBER, ok, heap, client().recorder()));
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(8);
        }
        assertThrows(
                IllegalArgumentException.class, () -> endpoint.sendActive(NUMBER, closed, ok, client().recorder()));
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> endpoint.sendActive(NUMBER, ok, ok, 1, 8, client().recorder(), 0));
        assertThrows(
                IllegalArgumentException.class,
                () -> endpoint.sendActiveGather(NUMBER, ok, new MemorySegment[65], client().recorder(), 0));
        assertEquals(0, client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        completeOk(pair.client(), sendActive(pair.client(), buffer(ActiveMessage.HEADER_MAX), ok));
        awaitSeen(1);
    }

    @Test
    @Semantics("M-21")
    void shouldHandleWhatWasSentBeforeAClose() {
        for (int i = 0; i < 10; i++) {
            Pair pair = connect(newSide("client " + i), newSide("server " + i));
            seen.clear();
            List<Integer> atEnd = new ArrayList<>();
            pair.server().worker().register(NUMBER, message -> {
                see(message);
                atEnd.add(pair.server().endpoint().state() == EndpointState.CLOSED ? 1 : 0);
            });
            int count = 1 + i;
            for (int sent = 0; sent < count; sent++) {
                sendActive(pair.client(), pattern(8, sent), pattern(EAGER_MAX - sent, sent));
            }
            pair.client().endpoint().startClose();
            assertEquals(
                    Endpoint.CLOSED,
                    pair.client()
                            .endpoint()
                            .sendActive(
                                    NUMBER, buffer(0), buffer(0), pair.client().recorder()));
            progressUntil(
                    () -> pair.server().endpoint().state() == EndpointState.CLOSED, "the server's end to be closed");
            assertEquals(count, seen.size());
            assertFalse(atEnd.contains(1));
            for (int sent = 0; sent < count; sent++) {
                assertArrayEquals(
                        bytes(pattern(EAGER_MAX - sent, sent)), seen.get(sent).payload());
            }
            completeAll(pair.client().side());
        }
    }

    @Test
    @Semantics("M-22")
    void shouldEndWhatIsInFlightWhenTheReceiverAborts() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        MemorySegment payload = pattern(EAGER_MAX + 1L, 1);
        List<Long> sends = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            sends.add(sendActive(pair.client(), pattern(8, i), payload));
        }
        progressUntil(() -> kept.size() == 8, "all to be kept");
        long _ = receiveLong(pair.server(), kept.element(), buffer(payload.byteSize()));
        pair.server().endpoint().abort();
        completeAll(client());
        completeAll(server());
        for (long send : sends) {
            Status status = client().recorder().outcome(send).status();
            assertTrue(status == Status.PEER_FAILED || status == Status.OK, () -> "status=" + status);
        }
        ActiveMessage last = List.copyOf(kept).getLast();
        assertEquals(Endpoint.CLOSED, last.receive(buffer(payload.byteSize()), server().recorder()));
        assertArrayEquals(bytes(pattern(8, 7)), bytes(last.header()));
        kept.forEach(ActiveMessage::release);
        assertEquals(
                Endpoint.PEER_FAILED,
                pair.client().endpoint().sendActive(NUMBER, buffer(0), buffer(0), client().recorder()));
    }

    @Test
    @Semantics("M-22")
    void shouldEndWhatIsInFlightWhenTheSenderAborts() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        for (int i = 0; i < 8; i++) {
            sendActive(pair.client(), pattern(8, i), pattern(i % 2 == 0 ? EAGER_MAX + 1L : 100, i));
        }
        progressUntil(() -> kept.size() == 8, "all to be kept");
        pair.client().endpoint().abort();
        completeAll(client());
        progressUntil(() -> pair.server().endpoint().state() == EndpointState.FAILED, "the server's end to fail");
        int index = 0;
        for (ActiveMessage message : kept) {
            assertArrayEquals(bytes(pattern(8, index)), bytes(message.header()));
            if (message.isWhole()) {
                assertArrayEquals(bytes(pattern(100, index)), bytes(message.payload()));
            } else {
                assertEquals(Endpoint.PEER_FAILED, message.receive(buffer(EAGER_MAX + 1L), server().recorder()));
            }
            message.release();
            index++;
        }
    }

    @Test
    @Semantics("M-29")
    void shouldHandleMessagesWithoutAGapWhenTheSenderEnds() {
        for (int round = 0; round < repetitions(6); round++) {
            Side receiver = newSide("receiver " + round);
            Pair pair = connect(newSide("sender " + round), receiver);
            List<Integer> handled = new ArrayList<>();
            receiver.worker().register(NUMBER, message -> {
                handled.add(message.header().get(ValueLayout.JAVA_INT, 0));
                if (!message.isWhole()) {
                    long posted = message.receive(buffer(EAGER_MAX + 1L), receiver.recorder());
                    if (posted != Endpoint.CLOSED && posted != Endpoint.PEER_FAILED) {
                        receiver.recorder().posted(pair.server().endpoint(), posted);
                    }
                }
            });
            for (int i = 0; i < 10; i++) {
                MemorySegment header = buffer(Integer.BYTES);
                header.set(ValueLayout.JAVA_INT, 0, i);
                sendActive(pair.client(), header, pattern((i + round) % 3 == 0 ? EAGER_MAX + 1L : 100, i));
            }
            for (int turn = 0; turn < 10 * round; turn++) {
                pair.client().side().progress();
                if (turn % 7 == 6) {
                    receiver.progress();
                }
            }
            pair.client().endpoint().abort();
            progressUntil(() -> receiver.events().ended(pair.server().endpoint()), "the receiver's end to fail");
            assertEquals(IntStream.range(0, handled.size()).boxed().toList(), handled);
            completeAll(pair.client().side());
            completeAll(receiver);
        }
    }

    @Test
    @Semantics("M-22")
    void shouldHandleNothingBehindTheEndOfAnEndpoint() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, message -> {
            assertTrue(pair.server().endpoint().state() != EndpointState.CLOSED);
            see(message);
        });
        for (int i = 0; i < 20; i++) {
            sendActive(pair.client(), buffer(0), buffer(EAGER_MAX / 2 + i * 200));
        }
        for (int turn = 0; turn < 3; turn++) {
            client().progress();
        }
        pair.server().endpoint().abort();
        int before = seen.size();
        progressUntilIdle();
        assertEquals(before, seen.size());
        completeAll(client());
    }

    @Test
    @Semantics("M-23")
    void shouldFreeKeptMessagesWithTheWorker() {
        Side other = newSide("other");
        Pair pair = connect(client(), other);
        other.worker().register(NUMBER, this::keep);
        sendActive(pair.client(), buffer(4), buffer(100));
        sendActive(pair.client(), buffer(4), buffer(EAGER_MAX + 1L));
        progressUntil(() -> kept.size() == 2, "both to be kept");
        discard(other);
        for (ActiveMessage message : kept) {
            assertThrows(IllegalStateException.class, () -> message.buffer().get(ValueLayout.JAVA_BYTE, 0));
            message.release();
        }
        completeAll(client());
    }

    @Test
    @Semantics("M-24")
    void shouldHandleNothingBeforeTheEndpointIsConnected() {
        Side other = newSide("other");
        List<String> calls = new ArrayList<>();
        other.worker().register(NUMBER, _ -> calls.add("message"));
        var listener = other.worker()
                .listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new EndpointHandler() {
                    @Override
                    public void connected(Endpoint endpoint) {
                        calls.add("connected");
                    }

                    @Override
                    public void closed(Endpoint endpoint) {
                        calls.add("closed");
                    }
                });
        Endpoint client = client().connect(listener.address());
        progressUntil(() -> client.state() == EndpointState.CONNECTED, "the client's end to connect");
        client().recorder().posted(client, client.sendActive(NUMBER, buffer(0), buffer(50), client().recorder()));
        client.startClose();
        progressUntil(() -> calls.contains("closed"), "the server's end to close");
        assertEquals(List.of("connected", "message", "closed"), calls);
        completeAll(client());
    }

    @Test
    @Semantics("M-27")
    void shouldEndThePeerThatSendsWithoutTheRight() {
        client();
        authorize(new Authorizer() {
            @Override
            public Verdict connect(PeerIdentity peer, InetSocketAddress source) {
                return Verdict.ALLOWED;
            }

            @Override
            public Verdict messages(PeerIdentity peer) {
                return Verdict.refused("the case allows none");
            }
        });
        Pair pair = connect();
        int layer = LayerWorker.LAYER_HANDLER_MIN;
        pair.server().worker().register(NUMBER, this::see);
        ((LayerWorker) pair.server().worker()).registerLayer(layer, this::see);
        End client = pair.client();
        completeOk(client, client.posted(client.endpoint().sendActive(layer, buffer(0), buffer(9), client.recorder())));
        awaitSeen(1);
        sendActive(client, buffer(0), buffer(9));
        progressUntil(
                () -> pair.server().endpoint().state() == EndpointState.FAILED
                        && client.endpoint().state() == EndpointState.FAILED,
                "both ends to fail");
        FairleadException failure = pair.server().endpoint().failure().orElseThrow();
        assertEquals(Reason.REFUSED, failure.reason());
        assertMentions("handler=" + NUMBER, failure);
        assertEquals(1, seen.size());
        completeAll(client());
    }
}
