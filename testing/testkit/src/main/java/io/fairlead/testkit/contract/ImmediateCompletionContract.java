package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.RemoteKey;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Completions that may run inside the post of their operation. */
public class ImmediateCompletionContract extends TransportContract {
    private static final int CHAIN = 5000;
    private static final int LENGTH = 64;
    private static final int MIXED = repetitions(3_000);
    private static final int LONGEST = 100_000;

    /** Creates the suite. */
    protected ImmediateCompletionContract() {}

    /** Keeps the ids of what has ended well. */
    private static final class Ended implements Completion.Immediate {
        final List<Long> ids = new ArrayList<>();

        @Override
        public void completed(Request request) {
            assertEquals(Status.OK, request.status(), "id=" + request.id());
            ids.add(request.id());
        }
    }

    @Test
    @Semantics("D-26")
    void shouldRunOnceForEachOperationInItsPostOrLater() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        MemorySegment buffer = buffer(LENGTH);
        Ended ended = new Ended();
        pair.server().send(pattern(LENGTH, 4), 4);
        progressUntil(() -> client().worker().counters().value(Counter.UNEXPECTED_NOW) == 1, "a message for a receive");
        List<Long> posted = new ArrayList<>();
        posted.add(endpoint.receive(buffer(LENGTH), 0, LENGTH, 4, Worker.FULL_TAG_MASK, ended, 0));
        for (int tag = 1; tag <= 3; tag++) {
            pair.server().receive(buffer(LENGTH), tag);
        }
        posted.add(endpoint.send(buffer, 0, LENGTH, 1, ended, 0));
        posted.add(endpoint.sendSynchronous(buffer, 0, LENGTH, 2, ended, 0));
        posted.add(endpoint.sendGather(new MemorySegment[] {buffer}, 3, ended));
        postToMemory(posted, endpoint, unpack(pair), ended);
        progressUntil(() -> ended.ids.size() >= posted.size(), "all operations to end");
        progressUntilIdle();
        assertEquals(
                posted.stream().sorted().toList(), ended.ids.stream().sorted().toList());
        assertEquals(0, endpoint.counters().value(Counter.OPERATIONS_IN_FLIGHT));
        completeAll(server());
    }

    private void postToMemory(List<Long> posted, Endpoint endpoint, RemoteKey key, Completion completion) {
        MemorySegment buffer = buffer(LENGTH);
        if (transport().capabilities().contains(Capability.PUT)) {
            posted.add(endpoint.put(buffer, 0, LENGTH, key, 0, completion, 0));
            posted.add(endpoint.flush(completion));
        }
        if (transport().capabilities().contains(Capability.PUT_SIGNAL)) {
            posted.add(endpoint.putSignal(buffer, 1, key, 0, completion));
        }
        if (transport().capabilities().contains(Capability.GET)) {
            posted.add(endpoint.get(buffer(LENGTH), 0, LENGTH, key, 0, completion, 0));
        }
        if (transport().capabilities().contains(Capability.ATOMIC)) {
            posted.add(endpoint.fetchOr(1, key, 8, completion));
        }
    }

    @Test
    @Semantics("D-27")
    void shouldRunInsideThePostOverSharedMemory() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC, Capability.MAPPED_MEMORY);
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        RemoteKey key = unpack(pair);
        MemorySegment back = buffer(LENGTH);
        Ended ended = new Ended();
        long put = endpoint.put(pattern(LENGTH, 7), 0, LENGTH, key, 0, ended, 0);
        assertEquals(List.of(put), ended.ids);
        long get = endpoint.get(back, 0, LENGTH, key, 0, ended, 0);
        assertEquals(List.of(put, get), ended.ids);
        Pattern.verify(back, 0, LENGTH, 7);
        long atomic = endpoint.fetchAdd(1, key, 8, ended);
        long flush = endpoint.flush(ended);
        assertEquals(List.of(put, get, atomic, flush), ended.ids);
    }

    @Test
    @Semantics("D-28")
    void shouldTakeNoStackForAChainOfPosts() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        MemorySegment target = buffer(LENGTH);
        int[] left = {CHAIN};
        int[] depth = {0, 0};
        Completion.Immediate again = new Completion.Immediate() {
            @Override
            public void completed(Request request) {
                depth[1] = Math.max(depth[1], ++depth[0]);
                if (--left[0] > 0) {
                    assertTrue(endpoint.flush(this) > 0);
                }
                depth[0]--;
            }
        };
        assertTrue(endpoint.flush(again) > 0);
        progressUntil(() -> left[0] == 0, CHAIN + " flushes, each posted by the completion of the one before");
        assertEquals(1, depth[1], "completions inside of completions");
        pair.server().send(pattern(LENGTH, 1), 1);
        completeOk(pair.client(), pair.client().receive(target, 1));
        completeAll(server());
    }

    @Test
    @Semantics("D-14")
    void shouldRefuseProgressInsideAnImmediateCompletion() {
        Pair pair = connect();
        List<Throwable> thrown = new ArrayList<>();
        Completion.Immediate progressing = request -> {
            Worker worker = client().worker();
            thrown.add(assertThrows(IllegalStateException.class, worker::progress));
            thrown.add(assertThrows(IllegalStateException.class, () -> worker.await(0)));
        };
        assertTrue(pair.client().endpoint().flush(progressing) > 0);
        progressUntil(() -> !thrown.isEmpty(), "the flush");
        assertEquals(2, thrown.size());
    }

    @Test
    @Semantics("D-15")
    void shouldGoOnAfterAnImmediateCompletionThatThrows() {
        Pair pair = connect();
        int[] run = {0};
        Completion.Immediate throwing = request -> {
            run[0]++;
            throw new IllegalArgumentException("thrown by a completion of the contract suite, on purpose");
        };
        for (int i = 1; i <= 3; i++) {
            int count = i;
            assertTrue(pair.client().endpoint().flush(throwing) > 0);
            progressUntil(() -> run[0] == count, "flush " + i);
        }
        assertEquals(EndpointState.CONNECTED, pair.client().endpoint().state());
        assertEquals(0, pair.client().endpoint().counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    @Test
    @Semantics("D-11")
    void shouldAllowCloseOfItsEndpointInsideAnImmediateCompletion() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        List<EndpointState> inside = new ArrayList<>();
        long waiting = pair.client().receive(buffer(8), 50);
        Completion.Immediate closing = request -> {
            endpoint.close();
            inside.add(endpoint.state());
        };
        assertTrue(endpoint.flush(closing) > 0);
        progressUntil(() -> client().events().ended(endpoint), "the close to finish");
        assertEquals(List.of(EndpointState.CLOSING), inside);
        assertEquals(EndpointState.CLOSED, endpoint.state());
        assertEquals(Status.CLOSED, complete(client(), waiting).status());
    }

    @Test
    @Semantics("D-13")
    void shouldCloseWorkerWhenThePostEndsThatRanTheCompletion() {
        Pair pair = connect();
        List<EndpointState> inside = new ArrayList<>();
        Completion.Immediate closing = request -> {
            client().worker().close();
            inside.add(pair.client().endpoint().state());
        };
        assertTrue(pair.client().endpoint().send(buffer(8), 0, 8, 1, closing, 0) > 0);
        if (inside.isEmpty()) {
            driveUntil(client(), () -> !inside.isEmpty(), "the completion that closes");
        }
        assertEquals(List.of(EndpointState.CONNECTED), inside);
        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertThrows(IllegalStateException.class, () -> client().worker().progress());
    }

    @Test
    @Semantics("D-34")
    void shouldKeepTheOrderOfMessagesWhateverTheirCompletions() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        Ended immediate = new Ended();
        List<Long> later = new ArrayList<>();
        Completion plain = request -> {
            assertEquals(Status.OK, request.status(), "id=" + request.id());
            later.add(request.id());
        };
        List<Long> received = new ArrayList<>();
        MemorySegment target = buffer(LONGEST);
        Completion.Immediate check = request -> {
            Pattern.verify(target, 0, request.length(), received.size());
            assertEquals(length(received.size()), request.length());
            received.add(request.id());
        };
        int receives = 0;
        for (int i = 0; i < MIXED; i++) {
            MemorySegment message = pattern(length(i), i);
            while (endpoint.send(message, 0, length(i), 9, i % 3 == 0 ? plain : immediate, i) < 0) {
                receives = receiveNext(pair, receives, received, target, check);
            }
        }
        while (received.size() < MIXED) {
            receives = receiveNext(pair, receives, received, target, check);
        }
        progressUntil(() -> later.size() + immediate.ids.size() == MIXED, "all sends to end");
        assertEquals(
                MIXED,
                Stream.concat(later.stream(), immediate.ids.stream()).distinct().count());
        assertEquals(MIXED, endpoint.counters().value(Counter.MESSAGES_SENT));
        assertEquals(0, endpoint.counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    /** Short ones mostly, some of several records, some that are read at their sender, some too long to be eager. */
    private static int length(int message) {
        return switch (message % 16) {
            case 5 -> 9_000;
            case 9 -> 20_000;
            case 13 -> LONGEST;
            default -> 8 + message % 64;
        };
    }

    private int receiveNext(
            Pair pair, int posted, List<Long> received, MemorySegment target, Completion.Immediate check) {
        client().worker().progress();
        server().worker().progress();
        if (posted > received.size()) {
            return posted;
        }
        assertTrue(pair.server().endpoint().receive(target, 0, LONGEST, 9, Worker.FULL_TAG_MASK, check, 0) > 0);
        return posted + 1;
    }

    @Test
    @Semantics("D-35")
    void shouldAllowInsideAnImmediateCompletionWhatEndsItsKeyOrItsEndpoint() {
        requires(Capability.PUT);
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        RemoteKey key = unpack(pair);
        MemorySegment source = pattern(LENGTH, 3);
        int[] run = {0};
        Completion.Immediate closesKey = request -> {
            run[0]++;
            assertFalse(client().worker().cancel(request.id()), "it has ended");
            key.close();
        };
        assertTrue(endpoint.put(source, 0, LENGTH, key, 0, closesKey, 0) > 0);
        progressUntil(() -> run[0] == 1, "the completion that closes the key");
        assertThrows(
                IllegalArgumentException.class, () -> endpoint.put(source, 0, LENGTH, key, 0, Completion.IGNORE, 0));
        RemoteKey other = unpack(pair);
        Completion.Immediate aborts = request -> {
            run[0]++;
            endpoint.abort();
            assertTrue(endpoint.send(source, 0, LENGTH, 1, Completion.IGNORE, 0) < 0);
        };
        assertTrue(endpoint.put(source, 0, LENGTH, other, 0, aborts, 0) > 0);
        progressUntil(() -> client().events().ended(endpoint), "the abort to finish");
        assertEquals(2, run[0]);
    }

    @Test
    @Semantics("D-37")
    void shouldCountAnOperationUntilItsCompletionHasReturned() {
        Pair pair = connect();
        Endpoint endpoint = pair.client().endpoint();
        List<Long> inside = new ArrayList<>();
        Completion.Immediate counts = request -> {
            inside.add(endpoint.counters().value(Counter.OPERATIONS_IN_FLIGHT));
            inside.add(client().worker().counters().value(Counter.OPERATIONS_IN_FLIGHT));
        };
        List<Long> posted = new ArrayList<>(List.of(endpoint.send(buffer(8), 0, 8, 1, counts, 0)));
        progressUntil(() -> inside.size() == 2, "the send to end");
        posted.add(endpoint.flush(counts));
        progressUntil(() -> inside.size() == 4, "the flush to end");
        if (transport().capabilities().contains(Capability.PUT)) {
            posted.add(endpoint.put(buffer(8), 0, 8, unpack(pair), 0, counts, 0));
            progressUntil(() -> inside.size() == 6, "the put to end");
        }
        assertTrue(posted.stream().allMatch(id -> id > 0), () -> "posts=" + posted);
        assertTrue(inside.stream().allMatch(count -> count == 1), () -> "in flight=" + inside);
        assertEquals(0, endpoint.counters().value(Counter.OPERATIONS_IN_FLIGHT));
    }

    private RemoteKey unpack(Pair pair) {
        return pair.client().unpack(server().context().allocate(LENGTH, EnumSet.allOf(AccessRight.class)));
    }
}
