package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.SecurityMode;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerWorker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Active messages: sending and handling, order, numbers. */
public class ActiveMessageContract extends ActiveMessageCases {
    private static final int OTHER_NUMBER = 6;
    private static final int MEASURED = 2000;
    /** One byte a message, which is no object. */
    private static final long ALLOCATED_MAX = MEASURED;

    /** Creates the suite. */
    protected ActiveMessageContract() {}

    @Test
    @Semantics("M-01")
    void shouldCallTheHandlerWithSourceHeaderAndPayload() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        pair.server().worker().register(OTHER_NUMBER, _ -> seen.add(seen.getFirst()));
        MemorySegment header = pattern(24, 1);
        MemorySegment payload = pattern(1000, 2);
        completeOk(pair.client(), sendActive(pair.client(), header, payload));
        awaitSeen(1);
        progressUntilIdle();
        assertEquals(1, seen.size());
        assertEquals(pair.server().endpoint(), seen.getFirst().source());
        assertEquals(NUMBER, seen.getFirst().number());
        assertArrayEquals(bytes(header), seen.getFirst().header());
        assertArrayEquals(bytes(payload), seen.getFirst().payload());
    }

    @Test
    @Semantics("M-01")
    void shouldCallTheHandlerInsideProgressOfItsWorker() {
        Pair pair = connect();
        List<Boolean> inside = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        pair.server().worker().register(NUMBER, _ -> {
            inside.add(pair.server().worker().isInsideProgress());
            threads.add(Thread.currentThread());
        });
        completeOk(pair.client(), sendActive(pair.client(), buffer(0), buffer(0)));
        progressUntil(() -> !inside.isEmpty(), "the handler to be called");
        assertEquals(List.of(true), inside);
        assertEquals(List.of(Thread.currentThread()), threads);
    }

    @Test
    @Semantics("M-02")
    void shouldDeliverHeadersAndPayloadsOfEveryLength() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        int count = 0;
        int[] headers = {0, 1, 7, 8, 64, ActiveMessage.HEADER_MAX};
        int[] payloads = {0, 1, 7, 8, 63, 64, 65, 1000, EAGER_MAX - 1, EAGER_MAX};
        for (int headerLength : headers) {
            for (int length : payloads) {
                MemorySegment header = pattern(headerLength, count);
                MemorySegment payload = pattern(length, count + 1L);
                completeOk(pair.client(), sendActive(pair.client(), header, payload));
                awaitSeen(++count);
                Seen last = seen.getLast();
                assertTrue(last.isWhole());
                assertArrayEquals(bytes(header), last.header());
                assertArrayEquals(bytes(payload), last.payload());
            }
        }
    }

    @Test
    @Semantics("M-02")
    void shouldDeliverPayloadsOfSeveralRecords() {
        configure(ConfigKeys.EAGER_MAX, 64 << 10);
        configure(ConfigKeys.CREDIT_BYTES, 1 << 20);
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        int count = 0;
        for (int length : new int[] {8000, 8048, 8176, 8177, 8192, 16_352, 20_000, 40_000, (64 << 10) - 1, 64 << 10}) {
            MemorySegment header = pattern(ActiveMessage.HEADER_MAX, count);
            MemorySegment payload = pattern(length, count + 1L);
            long send = sendActive(pair.client(), header, payload);
            awaitSeen(++count);
            completeOk(pair.client(), send);
            assertTrue(seen.getLast().isWhole());
            assertArrayEquals(bytes(header), seen.getLast().header());
            assertArrayEquals(bytes(payload), seen.getLast().payload());
        }
    }

    @Test
    @Semantics("M-03")
    @Tag("one-process") // The handler writes to the message.
    void shouldPutThePayloadBehindTheHeader() {
        Pair pair = connect();
        List<byte[]> buffers = new ArrayList<>();
        pair.server().worker().register(NUMBER, message -> {
            assertEquals(0, message.buffer().address() % Long.BYTES, "alignment");
            assertEquals(message.buffer(), message.buffer());
            long used = message.headerLength() + message.length();
            buffers.add(bytes(message.buffer().asSlice(0, used)));
            message.buffer().fill((byte) 0);
        });
        completeOk(pair.client(), sendActive(pair.client(), pattern(3, 1), pattern(5, 2)));
        progressUntil(() -> !buffers.isEmpty(), "the handler to be called");
        assertArrayEquals(
                bytes(pattern(3, 1)),
                bytes(MemorySegment.ofArray(buffers.getFirst()).asSlice(0, 3)));
        assertArrayEquals(
                bytes(pattern(5, 2)),
                bytes(MemorySegment.ofArray(buffers.getFirst()).asSlice(3)));
    }

    @Test
    @Semantics("M-04")
    void shouldSendARangeAndAGatheredPayload() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        MemorySegment whole = pattern(100, 1);
        End client = pair.client();
        completeOk(
                client,
                client.posted(client.endpoint().sendActive(NUMBER, buffer(0), whole, 10, 20, client.recorder(), 77)));
        MemorySegment[] parts = {pattern(3, 2), buffer(0), pattern(2000, 3), pattern(1, 4)};
        completeOk(
                client,
                client.posted(client.endpoint().sendActiveGather(NUMBER, pattern(9, 5), parts, client.recorder(), 78)));
        awaitSeen(2);
        assertArrayEquals(bytes(whole.asSlice(10, 20)), seen.get(0).payload());
        assertArrayEquals(bytes(pattern(9, 5)), seen.get(1).header());
        MemorySegment gathered = MemorySegment.ofArray(seen.get(1).payload());
        assertEquals(2004, gathered.byteSize());
        assertEquals(-1, gathered.asSlice(0, 3).mismatch(parts[0]));
        assertEquals(-1, gathered.asSlice(3, 2000).mismatch(parts[2]));
        assertEquals(-1, gathered.asSlice(2003).mismatch(parts[3]));
    }

    @Test
    @Semantics("M-05")
    void shouldReportTheSendAndFreeItsBuffers() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        End client = pair.client();
        MemorySegment header = pattern(16, 1);
        MemorySegment payload = pattern(500, 2);
        long id = client.posted(client.endpoint().sendActive(NUMBER, header, payload, 0, 500, client.recorder(), 42));
        Outcome outcome = completeOk(client, id);
        header.fill((byte) 0);
        payload.fill((byte) 0);
        assertEquals(500, outcome.length());
        assertEquals(0, outcome.tag());
        assertEquals(42, outcome.userData());
        assertEquals(client.endpoint(), outcome.source().orElseThrow());
        awaitSeen(1);
        assertArrayEquals(bytes(pattern(16, 1)), seen.getFirst().header());
        assertArrayEquals(bytes(pattern(500, 2)), seen.getFirst().payload());
    }

    @Test
    @Semantics("M-06")
    void shouldHandleMessagesInTheOrderOfTheirPosts() {
        Pair pair = connect();
        List<Long> order = new ArrayList<>();
        MemorySegment target = buffer(8L * EAGER_MAX);
        pair.server().worker().register(NUMBER, message -> {
            order.add(message.buffer().get(ValueLayout.JAVA_LONG, 0));
            if (!message.isWhole()) {
                long _ = receiveLong(pair.server(), message, target);
            }
        });
        Random random = new Random(7);
        int count = 2000;
        for (long i = 0; i < count; i++) {
            MemorySegment header = buffer(Long.BYTES);
            header.set(ValueLayout.JAVA_LONG, 0, i);
            int length =
                    random.nextInt(20) == 0 ? EAGER_MAX + 1 + random.nextInt(EAGER_MAX) : random.nextInt(EAGER_MAX);
            MemorySegment payload = buffer(length);
            End client = pair.client();
            postWhenTaken(() -> {
                long posted = client.endpoint().sendActive(NUMBER, header, payload, client.recorder());
                return posted > 0 ? client.posted(posted) : posted;
            });
        }
        progressUntil(() -> order.size() == count, "all messages to be handled");
        for (int i = 0; i < count; i++) {
            assertEquals(i, order.get(i));
        }
        completeAll(client());
        completeAll(server());
    }

    @Test
    @Semantics("M-07")
    void shouldCarryTaggedAndActiveMessagesBothWaysAtOnce() {
        Pair pair = connect();
        int count = 500;
        long[] handled = new long[2];
        pair.server().worker().register(NUMBER, _ -> handled[0]++);
        pair.client().worker().register(NUMBER, _ -> handled[1]++);
        MemorySegment[] targets = new MemorySegment[2];
        End[] ends = {pair.client(), pair.server()};
        for (int side = 0; side < 2; side++) {
            targets[side] = buffer(EAGER_MAX);
        }
        MemorySegment payload = pattern(300, 1);
        for (int i = 0; i < count; i++) {
            for (End end : ends) {
                postWhenTaken(() ->
                        post(end, end.endpoint().sendActive(NUMBER, payload.asSlice(0, 8), payload, end.recorder())));
                postWhenTaken(() -> post(end, end.endpoint().send(payload, 9, end.recorder())));
            }
            for (int side = 0; side < 2; side++) {
                End end = ends[side];
                MemorySegment target = targets[side];
                postWhenTaken(() ->
                        post(end, end.endpoint().receive(target, 0, target.byteSize(), 9, FULL, end.recorder(), 0)));
            }
        }
        progressUntil(() -> handled[0] == count && handled[1] == count, "all active messages to be handled");
        completeAll(client());
        completeAll(server());
        assertEquals(-1, targets[0].asSlice(0, 300).mismatch(payload));
        assertEquals(-1, targets[1].asSlice(0, 300).mismatch(payload));
    }

    @Test
    @Semantics("M-08")
    void shouldMatchNoReceiveProbeOrClaim() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::see);
        MemorySegment target = buffer(100);
        long receive = pair.server().side().receive(target, 0, 0);
        long fromEndpoint = pair.server().receive(target, 0, 0);
        completeOk(pair.client(), sendActive(pair.client(), pattern(8, 1), pattern(100, 2)));
        long longSend = sendActive(pair.client(), pattern(8, 1), pattern(EAGER_MAX + 1, 2));
        awaitSeen(2);
        completeOk(pair.client(), longSend);
        Worker server = pair.server().worker();
        assertFalse(server.probe(0, 0, server.newMessageInfo()));
        assertFalse(server.claim(0, 0, server.newMessageInfo()));
        assertFalse(server().recorder().has(receive) || server().recorder().has(fromEndpoint));
        assertEquals(0, server.counters().value(Counter.UNEXPECTED_NOW));
        assertTrue(server.cancel(receive) && server.cancel(fromEndpoint));
        completeAll(server());
        long tagged = pair.client().send(pattern(10, 3), 0);
        completeOk(pair.client(), tagged);
        progressUntilIdle();
        assertEquals(2, seen.size());
    }

    @Test
    @Semantics("M-15")
    void shouldDropAndCountMessagesOfUnknownNumbers() {
        Pair pair = connect();
        pair.server().worker().register(OTHER_NUMBER, this::see);
        End client = pair.client();
        int count = 10 * CREDIT_BYTES / EAGER_MAX;
        MemorySegment payload = pattern(EAGER_MAX, 1);
        for (int i = 0; i < count; i++) {
            postWhenTaken(
                    () -> post(client, client.endpoint().sendActive(NUMBER, buffer(5), payload, client.recorder())));
        }
        long beyond = sendActiveWhenTaken(client, pattern(EAGER_MAX + 1L, 2));
        completeOk(client, beyond);
        completeAll(client());
        progressUntil(
                () -> pair.server().endpoint().counters().value(Counter.MESSAGES_UNHANDLED) == count + 1L,
                "all messages to be counted");
        assertEquals(count + 1L, pair.server().worker().counters().value(Counter.MESSAGES_UNHANDLED));
        assertEquals(0, pair.server().endpoint().counters().value(Counter.MESSAGES_RECEIVED));
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
        postWhenTaken(() ->
                post(client, client.endpoint().sendActive(OTHER_NUMBER, buffer(5), buffer(1), client.recorder())));
        awaitSeen(1);
    }

    private long sendActiveWhenTaken(End client, MemorySegment payload) {
        long[] id = new long[1];
        postWhenTaken(() -> {
            id[0] = post(client, client.endpoint().sendActive(NUMBER, buffer(5), payload, client.recorder()));
            return id[0];
        });
        return id[0];
    }

    @Test
    @Semantics("M-16")
    void shouldRegisterOneHandlerANumber() {
        Pair pair = connect();
        Worker server = pair.server().worker();
        server.register(0, this::see);
        server.register(ActiveMessage.HANDLER_MAX, this::see);
        assertMentions("number=0", assertThrows(IllegalStateException.class, () -> server.register(0, this::see)));
        for (int number : new int[] {-1, ActiveMessage.HANDLER_MAX + 1}) {
            assertMentions(
                    "number=" + number,
                    assertThrows(IllegalArgumentException.class, () -> server.register(number, this::see)));
            assertThrows(IllegalArgumentException.class, () -> server.unregister(number));
        }
        server.unregister(0);
        server.unregister(0);
        List<Integer> again = new ArrayList<>();
        server.register(0, message -> again.add(message.handler()));
        End client = pair.client();
        completeOk(client, client.posted(client.endpoint().sendActive(0, buffer(0), buffer(0), client.recorder())));
        completeOk(
                client,
                client.posted(client.endpoint()
                        .sendActive(ActiveMessage.HANDLER_MAX, buffer(0), buffer(0), client.recorder())));
        awaitSeen(1);
        assertEquals(List.of(0), again);
    }

    @Test
    @Semantics("M-17")
    void shouldKeepTheNumbersOfLayersApart() {
        Endpoint[] accepted = new Endpoint[1];
        LayerWorker server = (LayerWorker) server().worker();
        var listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new LayerHandler() {
            @Override
            public boolean isExclusive() {
                return true;
            }

            @Override
            public void connected(Endpoint endpoint) {
                accepted[0] = endpoint;
            }
        });
        int number = LayerWorker.LAYER_HANDLER_MIN;
        server.registerLayer(number, this::see);
        server.register(NUMBER, this::see);
        assertThrows(IllegalArgumentException.class, () -> server.registerLayer(number - 1, this::see));
        assertThrows(
                IllegalArgumentException.class,
                () -> server.registerLayer(LayerWorker.LAYER_HANDLER_MAX + 1, this::see));
        Endpoint client = client().connect(listener.address());
        progressUntil(
                () -> client.state() == EndpointState.CONNECTED && accepted[0] != null, "the endpoint to connect");
        End end = new End(client(), client);
        for (int sent : new int[] {NUMBER, number}) {
            completeOk(end, end.posted(client.sendActive(sent, buffer(4), buffer(4), client().recorder())));
        }
        awaitSeen(1);
        assertEquals(number, seen.getFirst().number());
        assertEquals(1, server.counters().value(Counter.MESSAGES_UNHANDLED));
        List<Integer> taken = new ArrayList<>();
        server.registerLayer(number, accepted[0], message -> taken.add(message.handler()));
        assertThrows(IllegalArgumentException.class, () -> server.registerLayer(number - 1, accepted[0], this::see));
        completeOk(end, end.posted(client.sendActive(number, buffer(4), buffer(4), client().recorder())));
        awaitSeen(2);
        assertEquals(List.of(), taken);
        server.unregisterLayer(number);
        completeOk(end, end.posted(client.sendActive(number, buffer(4), buffer(4), client().recorder())));
        progressUntil(() -> taken.size() == 1, "the endpoint's handler to be called");
        assertEquals(2, seen.size());
        listener.close();
    }

    @Test
    @Semantics("M-18")
    void shouldGoOnBehindAHandlerThatThrows() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, message -> {
            see(message);
            if (seen.size() % 3 == 1) {
                throw new AssertionError("thrown by the case");
            }
            if (seen.size() % 3 == 2) {
                throw new IllegalStateException("thrown by the case");
            }
        });
        int count = 5 * CREDIT_BYTES / EAGER_MAX;
        End client = pair.client();
        for (int i = 0; i < count; i++) {
            MemorySegment payload = pattern(i % 5 == 0 ? EAGER_MAX + 1L : EAGER_MAX, i);
            postWhenTaken(
                    () -> post(client, client.endpoint().sendActive(NUMBER, buffer(0), payload, client.recorder())));
        }
        progressUntil(() -> seen.size() == count, "all messages to be handled");
        completeAll(client());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("M-19")
    void shouldLetAHandlerAnswer() {
        Pair pair = connect();
        Worker server = pair.server().worker();
        MemorySegment answer = pattern(64, 9);
        server.register(NUMBER, message -> {
            assertThrows(IllegalStateException.class, server::progress);
            pair.server()
                    .posted(message.source()
                            .sendActive(
                                    OTHER_NUMBER, answer, answer, pair.server().recorder()));
        });
        pair.client().worker().register(OTHER_NUMBER, this::see);
        for (int i = 1; i <= 100; i++) {
            completeOk(pair.client(), sendActive(pair.client(), buffer(1), buffer(1)));
            awaitSeen(i);
            assertArrayEquals(bytes(answer), seen.getLast().payload());
        }
        completeAll(server());
    }

    @Test
    @Semantics("M-19")
    void shouldLetAHandlerAbortItsEndpoint() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, message -> {
            see(message);
            message.source().abort();
        });
        for (int i = 0; i < 5; i++) {
            sendActive(pair.client(), buffer(1), pattern(EAGER_MAX + (i % 2), i));
        }
        progressUntil(
                () -> pair.server().endpoint().state() == EndpointState.CLOSED
                        && pair.client().endpoint().state() == EndpointState.FAILED,
                "both ends to end");
        assertTrue(!seen.isEmpty() && seen.size() <= 5);
        completeAll(client());
    }

    @Test
    @Semantics("M-25")
    void shouldCountMessagesAndBytes() {
        Pair pair = connect();
        MemorySegment target = buffer(EAGER_MAX + 1L);
        pair.server().worker().register(NUMBER, message -> {
            if (!message.isWhole()) {
                long _ = receiveLong(pair.server(), message, target);
            }
        });
        completeOk(pair.client(), sendActive(pair.client(), buffer(20), buffer(100)));
        completeOk(pair.client(), sendActive(pair.client(), buffer(20), buffer(EAGER_MAX + 1L)));
        completeAll(server());
        long bytes = 100 + EAGER_MAX + 1L;
        Endpoint sender = pair.client().endpoint();
        Endpoint receiver = pair.server().endpoint();
        assertEquals(2, sender.counters().value(Counter.MESSAGES_SENT));
        assertEquals(bytes, sender.counters().value(Counter.BYTES_SENT));
        progressUntil(() -> receiver.counters().value(Counter.MESSAGES_RECEIVED) == 2, "both to be counted");
        assertEquals(bytes, receiver.counters().value(Counter.BYTES_RECEIVED));
        assertEquals(2, server().worker().counters().value(Counter.MESSAGES_RECEIVED));
        assertEquals(0, receiver.counters().value(Counter.MESSAGES_UNHANDLED));
    }

    @Test
    @Semantics("M-28")
    void shouldAllocateNothingForAMessage() {
        assumeTrue(config().value(ConfigKeys.SECURITY_MODE) == SecurityMode.OFF, "TLS allocates for each record");
        Pair pair = connect();
        long[] handled = {0};
        pair.server().worker().register(NUMBER, message -> handled[0] += message.headerLength() + message.length());
        MemorySegment header = pattern(16, 1);
        MemorySegment payload = pattern(100, 2);
        Endpoint endpoint = pair.client().endpoint();
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // Code that is not compiled yet allocates what compiled code does not.
        for (int repeat = 0; repeat < 400 && least > ALLOCATED_MAX; repeat++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int sent = 0; sent < MEASURED; sent++) {
                while (endpoint.sendActive(NUMBER, header, payload, Completion.IGNORE) < 0) {
                    progress();
                }
                client().worker().progress();
                server().worker().progress();
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertTrue(least <= ALLOCATED_MAX, "bytes=" + least + ", messages=" + MEASURED);
        assertTrue(handled[0] > 0);
        progressUntilIdle();
    }
}
