package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.ActiveMessage;
import io.fairlead.Authorizer;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.PeerIdentity;
import io.fairlead.SecurityMode;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.LayerHandler;
import io.fairlead.spi.LayerWorker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Active messages: delivery, order, long payloads, kept messages, unknown numbers, ends. */
public class ActiveMessageContract extends BackPressureCases {
    private static final int NUMBER = 5;
    private static final int OTHER_NUMBER = 6;
    private static final int MEASURED = 2000;
    /** One byte a message, which is no object. */
    private static final long ALLOCATED_MAX = MEASURED;

    /** What a handler saw of a message. */
    private record Seen(
            Endpoint source,
            int number,
            MemorySegment headerSeen,
            long length,
            boolean isWhole,
            MemorySegment payloadSeen) {
        static Seen of(ActiveMessage message) {
            return new Seen(
                    message.source(),
                    message.handler(),
                    copy(message.header()),
                    message.length(),
                    message.isWhole(),
                    message.isWhole() ? copy(message.payload()) : MemorySegment.NULL);
        }

        private static MemorySegment copy(MemorySegment segment) {
            return MemorySegment.ofArray(bytes(segment));
        }

        byte[] header() {
            return bytes(headerSeen);
        }

        byte[] payload() {
            return bytes(payloadSeen);
        }
    }

    private final List<Seen> seen = new ArrayList<>();
    private final Queue<ActiveMessage> kept = new ArrayDeque<>();

    /** Creates the suite. */
    protected ActiveMessageContract() {}

    @BeforeEach
    final void forget() {
        seen.clear();
        kept.clear();
    }

    private void see(ActiveMessage message) {
        seen.add(Seen.of(message));
    }

    private void keep(ActiveMessage message) {
        message.keep();
        kept.add(message);
    }

    private long sendActive(End end, MemorySegment header, MemorySegment payload) {
        return end.posted(end.endpoint().sendActive(NUMBER, header, payload, end.recorder()));
    }

    private void awaitSeen(int count) {
        progressUntil(() -> seen.size() >= count, count + " active messages to be handled");
        assertEquals(count, seen.size());
    }

    private static byte[] bytes(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    // Delivery.

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

    // Order.

    @Test
    @Semantics("M-06")
    void shouldHandleMessagesInTheOrderOfTheirPosts() {
        Pair pair = connect();
        List<Long> order = new ArrayList<>();
        MemorySegment target = buffer(8L * EAGER_MAX);
        pair.server().worker().register(NUMBER, message -> {
            order.add(message.buffer().get(ValueLayout.JAVA_LONG, 0));
            if (!message.isWhole()) {
                receiveLong(pair.server(), message, target);
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

    private static void receiveLong(End end, ActiveMessage message, MemorySegment target) {
        end.posted(message.receive(target, end.recorder()));
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

    private static long post(End end, long posted) {
        return posted > 0 ? end.posted(posted) : posted;
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

    // Long payloads.

    @Test
    @Semantics("M-09")
    void shouldLeaveALongPayloadAtItsSender() {
        Pair pair = connect();
        MemorySegment target = buffer(EAGER_MAX + 1L);
        pair.server().worker().register(NUMBER, message -> {
            see(message);
            assertThrows(IllegalStateException.class, message::payload);
            receiveLong(pair.server(), message, target);
            assertThrows(IllegalStateException.class, () -> receiveLong(pair.server(), message, target));
        });
        MemorySegment payload = pattern(EAGER_MAX + 1L, 3);
        long send = sendActive(pair.client(), pattern(40, 4), payload);
        awaitSeen(1);
        completeAll(server());
        completeOk(pair.client(), send);
        assertFalse(seen.getFirst().isWhole());
        assertEquals(EAGER_MAX + 1L, seen.getFirst().length());
        assertArrayEquals(bytes(pattern(40, 4)), seen.getFirst().header());
        assertEquals(-1, payload.mismatch(target));
        Outcome outcome = server().recorder().outcomes().getLast();
        assertEquals(Status.OK, outcome.status());
        assertEquals(EAGER_MAX + 1L, outcome.length());
        assertEquals(pair.server().endpoint(), outcome.source().orElseThrow());
    }

    @Test
    @Semantics("M-09")
    void shouldReceiveAKeptLongPayloadLater() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        long length = 3L << 20;
        MemorySegment payload = pattern(length, 3);
        MemorySegment[] halves = {payload.asSlice(0, length / 2), payload.asSlice(length / 2)};
        End client = pair.client();
        long send = sendActive(client, buffer(0), payload);
        long gathered = client.posted(
                client.endpoint().sendActiveGather(NUMBER, pattern(128, 5), halves, client.recorder(), 0));
        progressUntil(() -> kept.size() == 2, "both messages to be kept");
        progressUntilIdle();
        assertFalse(client().recorder().has(send) || client().recorder().has(gathered));
        // The later one first.
        ActiveMessage first = kept.remove();
        ActiveMessage second = kept.remove();
        MemorySegment[] targets = {buffer(length), buffer(length)};
        receiveLong(pair.server(), second, targets[1]);
        completeOk(client, gathered);
        completeAll(server());
        receiveLong(pair.server(), first, targets[0]);
        completeOk(client, send);
        completeAll(server());
        assertEquals(-1, payload.mismatch(targets[0]));
        assertEquals(-1, payload.mismatch(targets[1]));
        assertArrayEquals(bytes(pattern(128, 5)), bytes(second.header()));
        first.release();
        second.release();
    }

    @Test
    @Semantics("M-10")
    void shouldTruncateALongPayload() {
        Pair pair = connect();
        MemorySegment around = buffer(3L * EAGER_MAX);
        pair.server().worker().register(NUMBER, message -> {
            long posted =
                    message.receive(around, EAGER_MAX, EAGER_MAX, pair.server().recorder(), 3);
            pair.server().posted(posted);
        });
        long send = sendActive(pair.client(), buffer(0), pattern(2L * EAGER_MAX, 3));
        completeOk(pair.client(), send);
        completeAll(server());
        Outcome outcome = server().recorder().outcomes().getLast();
        assertEquals(Status.TRUNCATED, outcome.status());
        assertEquals(2L * EAGER_MAX, outcome.length());
        assertEquals(3, outcome.userData());
        assertEquals(-1, around.asSlice(0, EAGER_MAX).mismatch(buffer(EAGER_MAX)));
        assertEquals(-1, around.asSlice(2L * EAGER_MAX).mismatch(buffer(EAGER_MAX)));
    }

    @Test
    @Semantics("M-11")
    void shouldDiscardALongPayloadThatNobodyWants() {
        Pair pair = connect();
        boolean[] keeps = {false};
        pair.server().worker().register(NUMBER, message -> {
            see(message);
            if (keeps[0]) {
                keep(message);
            }
        });
        long dropped = sendActive(pair.client(), pattern(1, 1), pattern(9L * EAGER_MAX, 2));
        completeOk(pair.client(), dropped);
        awaitSeen(1);
        keeps[0] = true;
        long released = sendActive(pair.client(), pattern(1, 1), pattern(9L * EAGER_MAX, 2));
        awaitSeen(2);
        progressUntilIdle();
        assertFalse(client().recorder().has(released));
        kept.remove().release();
        completeOk(pair.client(), released);
    }

    // Kept messages.

    @Test
    @Semantics("M-12")
    void shouldLeaveAKeptMessageUnchanged() {
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        int count = 200;
        for (int i = 0; i < count; i++) {
            int seed = i;
            postWhenTaken(() -> post(
                    pair.client(),
                    pair.client()
                            .endpoint()
                            .sendActive(NUMBER, pattern(i(seed), seed), pattern(i(seed), seed), client().recorder())));
        }
        progressUntil(() -> kept.size() == count, "all messages to be kept");
        for (int i = 0; i < count; i++) {
            ActiveMessage message = kept.remove();
            assertEquals(NUMBER, message.handler());
            assertEquals(pair.server().endpoint(), message.source());
            assertArrayEquals(bytes(pattern(i(i), i)), bytes(message.header()));
            assertArrayEquals(bytes(pattern(i(i), i)), bytes(message.payload()));
            message.release();
            message.release();
            assertThrows(IllegalStateException.class, message::buffer);
            assertThrows(IllegalStateException.class, message::keep);
        }
    }

    private static int i(int seed) {
        return seed % ActiveMessage.HEADER_MAX;
    }

    @Test
    @Semantics("M-12")
    void shouldRefuseTheUseOfAMessageBehindItsCall() {
        Pair pair = connect();
        AtomicReference<@Nullable ActiveMessage> leaked = new AtomicReference<>();
        pair.server().worker().register(NUMBER, leaked::set);
        completeOk(pair.client(), sendActive(pair.client(), buffer(8), buffer(8)));
        progressUntil(() -> leaked.get() != null, "the handler to be called");
        ActiveMessage message = Objects.requireNonNull(leaked.get());
        assertThrows(IllegalStateException.class, message::buffer);
        assertThrows(IllegalStateException.class, message::length);
        assertThrows(IllegalStateException.class, message::keep);
        message.release();
    }

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

    // Unknown numbers.

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
        for (int sent : new int[] {NUMBER, number}) {
            long id = client().recorder()
                    .posted(client, client.sendActive(sent, buffer(4), buffer(4), client().recorder()));
            completeOk(new End(client(), client), id);
        }
        awaitSeen(1);
        assertEquals(number, seen.getFirst().number());
        assertEquals(1, server.counters().value(Counter.MESSAGES_UNHANDLED));
        server.unregisterLayer(number);
        listener.close();
    }

    // Handlers.

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

    // Ends.

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
        receiveLong(pair.server(), kept.element(), buffer(payload.byteSize()));
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
    @Semantics("M-25")
    void shouldCountMessagesAndBytes() {
        Pair pair = connect();
        MemorySegment target = buffer(EAGER_MAX + 1L);
        pair.server().worker().register(NUMBER, message -> {
            if (!message.isWhole()) {
                receiveLong(pair.server(), message, target);
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

    @Test
    @Semantics("M-26")
    void shouldReceiveAPayloadThoughPostsHaveAllOperations() {
        configure(ConfigKeys.OPERATIONS_MAX, 16);
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        long send = sendActive(pair.client(), buffer(0), pattern(EAGER_MAX + 1L, 1));
        progressUntil(() -> kept.size() == 1, "the message to be kept");
        for (int i = 0; i < 16; i++) {
            server().receive(buffer(8), 1, FULL);
        }
        assertEquals(Endpoint.BACK_PRESSURE, pair.server().endpoint().receive(buffer(8), 1, server().recorder()));
        MemorySegment target = buffer(EAGER_MAX + 1L);
        ActiveMessage message = kept.remove();
        receiveLong(pair.server(), message, target);
        completeOk(pair.client(), send);
        assertEquals(-1, target.mismatch(pattern(EAGER_MAX + 1L, 1)));
        message.release();
    }

    @Test
    @Semantics("M-26")
    void shouldReturnBackPressureForAReceiveWithoutASlot() {
        configure(ConfigKeys.OPERATIONS_MAX, 16);
        Pair pair = connect();
        pair.server().worker().register(NUMBER, this::keep);
        long send = sendActive(pair.client(), buffer(0), pattern(EAGER_MAX + 1L, 1));
        progressUntil(() -> kept.size() == 1, "the message to be kept");
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            receives.add(server().receive(buffer(8), 1, FULL));
        }
        for (int i = 0; i < 16; i++) {
            receives.add(server().worker().receive(new Never(), 1, FULL, server().recorder(), 0));
        }
        receives.subList(16, 32).forEach(server().recorder()::posted);
        MemorySegment target = buffer(EAGER_MAX + 1L);
        ActiveMessage message = kept.remove();
        assertEquals(Endpoint.BACK_PRESSURE, message.receive(target, server().recorder()));
        receives.forEach(receive -> assertTrue(server().worker().cancel(receive)));
        completeAll(server());
        receiveLong(pair.server(), message, target);
        completeAll(server());
        completeOk(pair.client(), send);
        assertEquals(-1, target.mismatch(pattern(EAGER_MAX + 1L, 1)));
        message.release();
    }

    /** Takes no message. */
    private static final class Never implements MatchHandler {
        @Override
        public boolean tryMatch(MessageInfo message) {
            return false;
        }

        @Override
        public MemorySegment buffer() {
            return MemorySegment.NULL;
        }
    }
}
