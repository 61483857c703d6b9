package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.FairleadException;
import io.fairlead.MatchHandler;
import io.fairlead.MessageInfo;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Receives with a match handler, which gives the buffer when a message has matched. */
public class TaggedMatchHandlerContract extends TaggedCases {
    /** Creates the suite of one case; JUnit does. */
    protected TaggedMatchHandlerContract() {}

    /** A handler that takes what it is offered, and remembers it. */
    private static class Taking implements MatchHandler {
        final List<String> offered = new ArrayList<>();
        Predicate<Endpoint> accepted = _ -> true;
        boolean taking = true;
        MemorySegment buffer = MemorySegment.NULL;
        private final LongFunction<MemorySegment> buffers;

        Taking(LongFunction<MemorySegment> buffers) {
            this.buffers = buffers;
        }

        @Override
        public boolean accepts(Endpoint source) {
            return accepted.test(source);
        }

        @Override
        public boolean tryMatch(MessageInfo message) {
            offered.add(describe(message.source().orElseThrow(), message.tag(), message.length()));
            if (taking) {
                buffer = buffers.apply(message.length());
            }
            return taking;
        }

        @Override
        public MemorySegment buffer() {
            return buffer;
        }
    }

    private static String describe(Endpoint source, long tag, long length) {
        return "endpoint " + source.id() + ", tag " + tag + ", length " + length;
    }

    /** A handler with a buffer as long as the message. */
    private Taking taking() {
        return new Taking(this::buffer);
    }

    private static long post(Side side, MatchHandler handler, long tag, long mask) {
        return side.recorder().posted(side.worker().receive(handler, tag, mask, side.recorder(), 0));
    }

    @Test
    @Semantics("T-58")
    void shouldAskForTheBufferOfAnExpectedMessage() {
        Pair pair = connect();
        for (long length : new long[] {0, 1, 8, 5000, eagerMax(), beyondEager(), 1 << 20}) {
            Taking handler = taking();
            long receive = post(server(), handler, 0, ANY_TAG);
            progress();
            assertEquals(List.of(), handler.offered);
            long send = pair.client().send(pattern(length, length), 9);
            assertReceived(pair, handler, complete(server(), receive), length);
            completeOk(pair.client(), send);
        }
    }

    @Test
    @Semantics("T-58")
    void shouldAskForTheBufferOfAMessageThatWaits() {
        Pair pair = connect();
        for (long length : new long[] {0, 1, 8, 5000, eagerMax(), beyondEager(), 1 << 20}) {
            long send = pair.client().send(pattern(length, length), 9);
            awaitMessage(server(), 9);
            Taking handler = taking();
            long receive = post(server(), handler, 9, FULL);
            assertEquals(1, handler.offered.size(), "matched by the post");
            assertReceived(pair, handler, complete(server(), receive), length);
            completeOk(pair.client(), send);
        }
    }

    @Test
    @Semantics("D-33")
    void shouldFailTheEndpointWhoseMessageLosesTheMemoryOfItsReceive() {
        assumeFalse(transport().name().equals("ucx"), "UCX writes by address");
        Pair other = connect();
        for (int length : new int[] {8, Math.toIntExact(beyondEager()), 8 << 20}) {
            receiveIntoMemoryThatIsClosed(length);
        }
        long receive = other.server().receive(buffer(8), 1);
        other.client().send(pattern(8, 1), 1);
        completeOk(other.server(), receive);
    }

    private void receiveIntoMemoryThatIsClosed(int length) {
        Pair pair = connect();
        Endpoint receiver = pair.server().endpoint();
        pair.client().send(pattern(length, length), 9);
        awaitMessage(server(), 9);
        long receive;
        try (Arena arena = Arena.ofShared()) {
            receive = post(server(), new Taking(size -> arena.allocate(size, 8)), 9, FULL);
        }
        Outcome received = complete(server(), receive);
        if (received.status() == Status.OK) {
            // It was copied inside the post.
            assertEquals(EndpointState.CONNECTED, receiver.state());
        } else {
            // CANCELLED at the first byte, PEER_FAILED behind some that were written.
            assertTrue(Set.of(Status.CANCELLED, Status.PEER_FAILED).contains(received.status()), received::toString);
            progressUntil(() -> server().events().ended(receiver), "the endpoint to fail");
            assertEquals(
                    FairleadException.Reason.TRANSPORT,
                    receiver.failure().orElseThrow().reason());
        }
        completeAll(client());
    }

    private static void assertReceived(Pair pair, Taking handler, Outcome outcome, long length) {
        assertEquals(Status.OK, outcome.status());
        assertEquals(9, outcome.tag());
        assertEquals(length, outcome.length());
        assertSame(pair.server().endpoint(), outcome.source().orElseThrow());
        assertEquals(List.of(describe(pair.server().endpoint(), 9, length)), handler.offered);
        Pattern.verify(handler.buffer, 0, length, length);
    }

    @Test
    @Semantics({"T-66", "D-14"})
    void shouldRefuseCallsOfTheWorkerInsideTheHandler() {
        Pair pair = connect();
        long other = server().receive(buffer(8), 2, FULL);
        for (boolean waits : new boolean[] {false, true}) {
            List<String> accepted = new ArrayList<>();
            List<String> matched = new ArrayList<>();
            Taking handler = new Taking(length -> {
                callAll(other, matched);
                return buffer(length);
            });
            handler.accepted = _ -> {
                callAll(other, accepted);
                return true;
            };
            if (waits) {
                pair.client().send(pattern(8, 1), 1);
                pair.client().send(pattern(8, 2), 1);
                awaitUnexpected(server(), 2);
            }
            long first = post(server(), handler, 1, FULL);
            long second = post(server(), handler, 1, FULL);
            if (!waits) {
                pair.client().send(pattern(8, 1), 1);
                pair.client().send(pattern(8, 2), 1);
            }
            for (long receive : new long[] {first, second}) {
                assertEquals(Status.OK, complete(server(), receive).status());
            }
            completeAll(client());
            assertEquals(2, handler.offered.size());
            assertEquals(
                    List.of(),
                    Stream.concat(accepted.stream(), matched.stream())
                            .filter(call -> !call.endsWith(IllegalStateException.class.getSimpleName()))
                            .toList());
            assertEquals(2 * 7, matched.size());
            assertFalse(accepted.isEmpty());
            assertFalse(server().worker().probe(1, FULL, server().worker().newMessageInfo()));
        }
        assertTrue(server().worker().cancel(other));
        completeAll(server());
    }

    /** Makes each call that would change what is being matched, and notes what it throws. */
    private void callAll(long other, List<String> thrown) {
        Worker worker = server().worker();
        MemorySegment target = buffer(8);
        MessageInfo info = worker.newMessageInfo();
        Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("progress", worker::progress);
        calls.put("await", () -> worker.await(0));
        calls.put("receive", () -> {
            long _ = worker.receive(target, 0, 8, 1, FULL, server().recorder(), 0);
        });
        calls.put("receive with a handler", () -> {
            long _ = worker.receive(taking(), 1, FULL, server().recorder(), 0);
        });
        calls.put("probe", () -> worker.probe(1, FULL, info));
        calls.put("claim", () -> {
            boolean _ = worker.claim(1, FULL, info);
        });
        calls.put("cancel", () -> worker.cancel(other));
        calls.forEach((name, call) -> {
            String outcome = "nothing";
            try {
                call.run();
            } catch (RuntimeException refused) {
                outcome = refused.getClass().getSimpleName();
            }
            thrown.add(name + ": " + outcome);
        });
    }

    @Test
    @Semantics("T-59")
    void shouldMatchInOneOrderWithReceivesThatHaveBuffers() {
        Pair pair = connect();
        List<MemorySegment> targets = new ArrayList<>();
        List<Taking> handlers = new ArrayList<>();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            MemorySegment target = buffer(16);
            Taking handler = new Taking(_ -> target);
            targets.add(target);
            handlers.add(handler);
            long mask = i % 5 == 0 ? ANY_TAG : FULL;
            receives.add(
                    switch (i % 3) {
                        case 0 -> post(server(), handler, 1, mask);
                        case 1 -> server().receive(target, 1, mask);
                        default -> pair.server().receive(target, 1, mask);
                    });
        }
        for (int i = 0; i < 40; i++) {
            pair.client().send(pattern(16, i), 1);
        }
        completeAll(server());
        completeAll(client());
        for (int i = 0; i < 40; i++) {
            assertEquals(Status.OK, server().recorder().outcome(receives.get(i)).status());
            Pattern.verify(targets.get(i), 0, 16, i);
            assertEquals(i % 3 == 0 ? 1 : 0, handlers.get(i).offered.size());
        }
    }

    @Test
    @Semantics("T-60")
    void shouldTakeMessagesOfAcceptedEndpointsAlone() {
        Pair one = connect();
        Pair other = connect();
        Taking handler = taking();
        handler.accepted = source -> source.equals(other.server().endpoint());
        long receive = post(server(), handler, 1, FULL);
        MemorySegment target = buffer(8);
        long younger = server().receive(target, 1, FULL);
        one.client().send(pattern(8, 1), 1);
        assertSame(one.server().endpoint(), complete(server(), younger).source().orElseThrow());
        one.client().send(pattern(8, 2), 1);
        awaitMessage(server(), 1);
        assertFalse(server().recorder().has(receive));
        other.client().send(pattern(8, 3), 1);
        assertEquals(Status.OK, complete(server(), receive).status());
        Pattern.verify(handler.buffer, 0, 8, 3);

        // It also takes a waiting message, past an older one of another endpoint.
        other.client().send(pattern(8, 4), 1);
        awaitUnexpected(server(), 2);
        Taking late = taking();
        late.accepted = handler.accepted;
        long found = post(server(), late, 0, ANY_TAG);
        assertEquals(Status.OK, complete(server(), found).status());
        Pattern.verify(late.buffer, 0, 8, 4);
        completeOk(one.server(), one.server().receive(target, 1));
        Pattern.verify(target, 0, 8, 2);
        completeAll(client());
    }

    @Test
    @Semantics("T-61")
    void shouldGiveTheMessageOfAWithdrawnReceiveToTheNext() {
        Pair pair = connect();
        for (long length : new long[] {8, beyondEager()}) {
            Taking refusing = taking();
            refusing.taking = false;
            Taking refusingToo = taking();
            refusingToo.taking = false;
            Taking next = taking();
            long first = post(server(), refusing, 1, FULL);
            long second = post(server(), refusingToo, 0, ANY_TAG);
            long third = post(server(), next, 1, FULL);
            pair.client().send(pattern(length, 5), 1);
            assertEquals(Status.OK, complete(server(), third).status());
            Pattern.verify(next.buffer, 0, length, 5);
            assertEquals(Status.CANCELLED, complete(server(), first).status());
            assertEquals(Status.CANCELLED, complete(server(), second).status());
            assertEquals(1, refusing.offered.size());
            assertEquals(1, refusingToo.offered.size());

            pair.client().send(pattern(length, 6), 1);
            awaitMessage(server(), 1);
            long late = post(server(), refusing, 1, FULL);
            assertEquals(Status.CANCELLED, complete(server(), late).status());
            MemorySegment target = buffer(length);
            completeOk(pair.server(), pair.server().receive(target, 1));
            Pattern.verify(target, 0, length, 6);
        }
        completeAll(client());
    }

    @Test
    @Semantics("T-62")
    void shouldTruncateToTheBuffer() {
        Pair pair = connect();
        for (long length : new long[] {64, beyondEager()}) {
            for (boolean waiting : new boolean[] {false, true}) {
                Taking shorter = new Taking(whole -> buffer(whole - 1));
                Taking nothing = new Taking(_ -> MemorySegment.NULL);
                if (waiting) {
                    pair.client().send(buffer(length), 1);
                    pair.client().send(buffer(length), 1);
                    awaitUnexpected(server(), 2);
                }
                long first = post(server(), shorter, 1, FULL);
                long second = post(server(), nothing, 1, FULL);
                if (!waiting) {
                    pair.client().send(buffer(length), 1);
                    pair.client().send(buffer(length), 1);
                }
                for (long receive : new long[] {first, second}) {
                    Outcome outcome = complete(server(), receive);
                    assertEquals(Status.TRUNCATED, outcome.status());
                    assertEquals(length, outcome.length());
                }
            }
        }
        completeAll(client());
        assertEquals(EndpointState.CONNECTED, pair.server().endpoint().state());
    }

    @Test
    @Semantics("T-63")
    void shouldWithdrawReceivesWhoseHandlersThrowOrHaveNoBuffer() {
        Pair pair = connect();
        List<MatchHandler> broken = List.of(
                new Taking(_ -> {
                    throw new IllegalStateException("thrown by the case");
                }),
                new Taking(_ -> MemorySegment.ofArray(new byte[64])),
                new Taking(_ -> buffer(64).asReadOnly()));
        for (boolean waiting : new boolean[] {false, true}) {
            List<Long> receives = new ArrayList<>();
            if (waiting) {
                pair.client().send(pattern(8, 3), 1);
                awaitMessage(server(), 1);
            }
            broken.forEach(handler -> receives.add(post(server(), handler, 1, FULL)));
            if (!waiting) {
                pair.client().send(pattern(8, 3), 1);
            }
            MemorySegment target = buffer(8);
            completeOk(pair.server(), pair.server().receive(target, 1));
            Pattern.verify(target, 0, 8, 3);
            for (long receive : receives) {
                assertEquals(Status.CANCELLED, complete(server(), receive).status());
            }
        }
        Taking unable = taking();
        unable.accepted = _ -> {
            throw new IllegalStateException("thrown by the case");
        };
        long never = post(server(), unable, 1, FULL);
        long next = post(server(), taking(), 1, FULL);
        pair.client().send(buffer(8), 1);
        assertEquals(Status.OK, complete(server(), next).status());
        assertFalse(server().recorder().has(never));
        assertTrue(server().worker().cancel(never));
        completeAll(client());
    }

    @Test
    @Semantics("T-64")
    void shouldBoundReceivesWithoutBuffersByThemselves() {
        int max = 32;
        configure(ConfigKeys.OPERATIONS_MAX, max);
        Pair pair = connect();
        List<Taking> handlers = new ArrayList<>();
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < max; i++) {
            handlers.add(taking());
            receives.add(post(server(), handlers.get(i), i, FULL));
        }
        Worker worker = server().worker();
        assertEquals(Endpoint.BACK_PRESSURE, worker.receive(taking(), max, FULL, server().recorder(), 0));
        // All other operations have capacity of their own, and use it again and again.
        for (int round = 0; round < 3; round++) {
            long[] others = new long[max];
            for (int i = 0; i < max; i++) {
                others[i] = server().receive(buffer(8), 1000 + i, FULL);
            }
            assertEquals(Endpoint.BACK_PRESSURE, worker.receive(buffer(8), 1, server().recorder()));
            for (long other : others) {
                assertTrue(worker.cancel(other));
            }
            completeAllBut(receives);
        }
        for (int i = 0; i < max; i++) {
            completeOk(pair.client(), pair.client().send(pattern(8, i), i));
            assertEquals(Status.OK, complete(server(), receives.get(i)).status());
            Pattern.verify(handlers.get(i).buffer, 0, 8, i);
            post(server(), taking(), 2000 + i, FULL);
        }
        assertEquals(Endpoint.BACK_PRESSURE, worker.receive(taking(), max, FULL, server().recorder(), 0));
    }

    private void completeAllBut(List<Long> waiting) {
        progressUntil(() -> server().recorder().outstanding() == waiting.size(), "the other operations to end");
    }

    @Test
    @Semantics("T-65")
    void shouldCancelReceivesWithoutBuffers() {
        Pair pair = connect();
        Taking cancelled = taking();
        Taking next = taking();
        long first = post(server(), cancelled, 1, FULL);
        long second = post(server(), next, 1, FULL);
        assertTrue(server().worker().cancel(first));
        assertFalse(server().worker().cancel(first));
        pair.client().send(pattern(8, 1), 1);
        assertEquals(Status.OK, complete(server(), second).status());
        assertEquals(Status.CANCELLED, complete(server(), first).status());
        assertEquals(List.of(), cancelled.offered);
        assertFalse(server().worker().cancel(second));
        completeAll(client());
        long left = post(server(), cancelled, 1, FULL);
        server().worker().close();
        assertEquals(Status.CANCELLED, server().recorder().outcome(left).status());
        assertEquals(List.of(), cancelled.offered);
    }

    @Test
    @Semantics("T-65")
    void shouldOutliveEndpoints() {
        Pair gone = connect();
        Taking handler = taking();
        handler.accepted = source -> !source.equals(gone.server().endpoint());
        long receive = post(server(), handler, 1, FULL);
        gone.client().endpoint().startClose();
        progressUntil(() -> gone.server().events().ended(gone.server().endpoint()), "the end of the first endpoint");
        assertFalse(server().recorder().has(receive));
        Pair next = connect();
        next.client().send(pattern(8, 1), 1);
        assertEquals(Status.OK, complete(server(), receive).status());
        Pattern.verify(handler.buffer, 0, 8, 1);
        completeAll(client());
    }

    @Test
    @Semantics("T-27")
    void shouldRefuseTagsOutOfRange() {
        connect();
        Worker worker = server().worker();
        for (long wrong : new long[] {-1, Worker.TAG_MAX + 1}) {
            IllegalArgumentException tag = assertThrows(
                    IllegalArgumentException.class, () -> worker.receive(taking(), wrong, 0, server().recorder(), 0));
            assertMentions("tag=" + wrong, tag);
            IllegalArgumentException mask = assertThrows(
                    IllegalArgumentException.class, () -> worker.receive(taking(), 0, wrong, server().recorder(), 0));
            assertMentions("tagMask=" + wrong, mask);
        }
    }
}
