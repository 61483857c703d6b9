package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.AccessRight;
import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.MemoryRegion;
import io.fairlead.MessageInfo;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.Counters;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Completions: when, on which thread and how often they run, and what they see. */
public class CompletionContract extends TransportContract {
    private static final int MANY = 1000;
    /** Longer than any transport sends without waiting for the receive. */
    private static final int LONG_MESSAGE = 1 << 20;

    /** Creates the suite. */
    protected CompletionContract() {}

    @Test
    @Semantics("D-01")
    void shouldNeverCompleteInsideThePost() {
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(4096, EnumSet.allOf(AccessRight.class));
        RemoteKey key = pair.client().unpack(region);
        List<Long> ids = postOneOfEach(pair, key);
        assertEquals(0, client().recorder().count(), "completions ran without progress");
        completeAll(client());
        for (long id : ids) {
            Outcome outcome = client().recorder().outcome(id);
            assertEquals(Status.OK, outcome.status(), outcome::toString);
            assertTrue(outcome.insideProgress(), outcome::toString);
        }
    }

    @Test
    @Semantics("D-02")
    void shouldCompleteEachOfManyOnce() {
        Pair pair = connect();
        MemorySegment target = buffer(8L * MANY);
        for (int i = 0; i < MANY; i++) {
            pair.server().receive(target.asSlice(8L * i, 8), i);
        }
        MemorySegment source = pattern(8L * MANY, 2);
        int sent = 0;
        while (sent < MANY) {
            MemorySegment message = source.asSlice(8L * sent, 8);
            long posted = pair.client().endpoint().send(message, 0, 8, sent, client().recorder(), sent);
            if (posted == Endpoint.BACK_PRESSURE) {
                progress();
            } else {
                pair.client().posted(posted);
                sent++;
            }
        }
        completeAll(client());
        completeAll(server());
        // The recorder has held each of them to exactly once.
        assertEquals(MANY, client().recorder().count());
        assertEquals(MANY, server().recorder().count());
        Pattern.verify(target, 0, 8L * MANY, 2);
    }

    @Test
    @Semantics("D-03")
    void shouldCompleteOnTheOwnersThread() {
        PeerThread peer = newPeerThread("owner");
        End client = connect(peer);
        MemorySegment target = buffer(8);
        long received = peer.call(side -> side.receive(target, 1, Worker.FULL_TAG_MASK));
        long sent = client.send(pattern(8, 1), 1);
        assertSame(Thread.currentThread(), completeOk(client, sent).thread());
        progressUntil(() -> peer.call(side -> side.recorder().has(received)), "the peer to receive");
        assertSame(
                peer.thread(),
                peer.call(side -> side.recorder().outcome(received)).thread());
    }

    @Test
    @Semantics("D-04")
    void shouldHandBackUserData() {
        Pair pair = connect();
        MemorySegment target = buffer(8);
        Recorder atServer = server().recorder();
        Recorder atClient = client().recorder();
        for (long number : new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            long received = pair.server()
                    .posted(pair.server().endpoint().receive(target, 0, 8, 1, Worker.FULL_TAG_MASK, atServer, number));
            long sent = pair.client().posted(pair.client().endpoint().send(target, 0, 8, 1, atClient, ~number));
            assertEquals(number, completeOk(pair.server(), received).userData());
            assertEquals(~number, completeOk(pair.client(), sent).userData());
        }
    }

    @Test
    @Semantics("D-05")
    void shouldGiveOutEachIdOnce() {
        Pair pair = connect();
        Set<Long> ids = new HashSet<>();
        MemorySegment buffer = buffer(8);
        for (int i = 0; i < 3 * MANY; i++) {
            long received = pair.server().receive(buffer, 1);
            assertTrue(received > 0);
            assertTrue(ids.add(received), () -> "id given out again: " + received);
            pair.client().send(buffer, 1);
            completeOk(pair.server(), received);
        }
        completeAll(client());
    }

    @Test
    @Semantics("D-06")
    void shouldTellWhatASendWas() {
        Pair pair = connect();
        long sent = pair.client().send(pattern(48, 1), Worker.TAG_MAX);
        Outcome outcome = completeOk(pair.client(), sent);
        assertEquals(sent, outcome.id());
        assertEquals(Worker.TAG_MAX, outcome.tag());
        assertEquals(48, outcome.length());
        assertEquals(0, outcome.value());
        assertSame(pair.client().endpoint(), outcome.source().orElseThrow());
    }

    @Test
    @Semantics("D-07")
    void shouldTellWhatARemoteMemoryOperationWas() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC);
        Pair pair = connect();
        RemoteKey key = pair.client().unpack(server().context().allocate(64, EnumSet.allOf(AccessRight.class)));
        End client = pair.client();
        Outcome put = completeOk(client, client.put(pattern(24, 1), key, 8));
        Outcome flush = completeOk(client, client.flush());
        Outcome get = completeOk(client, client.get(buffer(40), key, 0));
        Outcome atomic = completeOk(client, client.fetchAdd(5, key, 0));
        for (Outcome outcome : List.of(put, flush, get, atomic)) {
            assertSame(client.endpoint(), outcome.source().orElseThrow());
            assertEquals(0, outcome.tag());
            assertEquals(0, outcome.value());
        }
        assertEquals(24, put.length());
        assertEquals(40, get.length());
        assertEquals(5, completeOk(client, client.fetchAdd(1, key, 0)).value());
    }

    @Test
    @Semantics("D-08")
    void shouldTellNoSourceOfAReceiveThatMatchedNothing() {
        connect();
        long id = client().receive(buffer(8), 1, Worker.FULL_TAG_MASK);
        assertTrue(client().worker().cancel(id));
        Outcome outcome = complete(client(), id);
        assertEquals(Status.CANCELLED, outcome.status());
        assertTrue(outcome.source().isEmpty());
        assertEquals(0, outcome.length());
    }

    @Test
    @Semantics("D-17")
    void shouldRunCompletionsBeforeCloseOfEndpointReturns() {
        Pair pair = connect();
        long receive = pair.client().receive(buffer(8), 1);
        long send = pair.client().send(buffer(LONG_MESSAGE), 1);
        pair.client().endpoint().close();
        assertEquals(Status.CLOSED, client().recorder().outcome(receive).status());
        assertEquals(Status.CLOSED, client().recorder().outcome(send).status());
        assertTrue(client().events().ended(pair.client().endpoint()));
    }

    @Test
    @Semantics("D-18")
    void shouldRunCompletionsBeforeCloseOfWorkerReturns() {
        Pair pair = connect();
        List<Long> ids = List.of(
                pair.client().receive(buffer(8), 1),
                pair.client().sendSynchronous(buffer(8), 1),
                client().receive(buffer(8), 2, Worker.FULL_TAG_MASK));
        client().worker().close();
        List<Status> statuses =
                ids.stream().map(id -> client().recorder().outcome(id).status()).toList();
        assertEquals(List.of(Status.CLOSED, Status.CLOSED, Status.CANCELLED), statuses);
    }

    @Test
    @Semantics("D-20")
    void shouldTellWhetherProgressFoundWork() {
        Pair pair = connect();
        progressUntilIdle();
        assertEquals(0, client().progress());
        long id = pair.client().send(pattern(8, 1), 1);
        int events = 0;
        while (!client().recorder().has(id)) {
            events += progress();
        }
        assertTrue(events > 0);
    }

    @Test
    @Semantics("D-22")
    void shouldNotHoldOthersUpByAnOperationThatWaits() {
        Pair stuck = connect();
        Pair free = connect();
        long waiting = stuck.client().sendSynchronous(buffer(8), 1);
        long waitingLong = stuck.client().send(buffer(LONG_MESSAGE), 2);
        MemorySegment target = buffer(64);
        for (int i = 0; i < 100; i++) {
            long received = free.server().receive(target, 3);
            free.client().send(pattern(64, i), 3);
            completeOk(free.server(), received);
            Pattern.verify(target, 0, 64, i);
        }
        assertFalse(client().recorder().has(waiting) || client().recorder().has(waitingLong));
    }

    @Test
    @Semantics("D-23")
    void shouldCountWhatCompleted() {
        Pair pair = connect();
        for (int i = 0; i < 10; i++) {
            long received = pair.server().receive(buffer(100), 1);
            pair.client().send(buffer(100), 1);
            completeOk(pair.server(), received);
        }
        completeAll(client());
        for (Counters counters :
                List.of(pair.client().endpoint().counters(), client().worker().counters())) {
            assertEquals(10, counters.value(Counter.MESSAGES_SENT));
            assertEquals(1000, counters.value(Counter.BYTES_SENT));
            assertEquals(0, counters.value(Counter.OPERATIONS_FAILED));
        }
        for (Counters counters :
                List.of(pair.server().endpoint().counters(), server().worker().counters())) {
            assertEquals(10, counters.value(Counter.MESSAGES_RECEIVED));
            assertEquals(1000, counters.value(Counter.BYTES_RECEIVED));
        }
        assertEquals(1, server().worker().counters().value(Counter.ENDPOINTS_CONNECTED));
    }

    @Test
    @Semantics("D-24")
    void shouldKeepCountsOfPastEndpointsOnTheWorker() {
        for (int round = 0; round < 3; round++) {
            Pair pair = connect();
            long received = pair.server().receive(buffer(10), 1);
            pair.client().send(buffer(10), 1);
            completeOk(pair.server(), received);
            completeAll(client());
            pair.client().endpoint().close();
            progressUntil(() -> server().events().ended(pair.server().endpoint()), "the endpoint to end");
        }
        assertEquals(3, client().worker().counters().value(Counter.MESSAGES_SENT));
        assertEquals(3, client().worker().counters().value(Counter.ENDPOINTS_CLOSED));
        assertEquals(30, server().worker().counters().value(Counter.BYTES_RECEIVED));
    }

    @Test
    @Semantics("D-24")
    void shouldCountOnTheWorkerWhatIsReceivedAfterTheEndpointHasEnded() {
        Pair pair = connect();
        Counters worker = server().worker().counters();
        Counters endpoint = pair.server().endpoint().counters();
        for (int tag = 1; tag <= 3; tag++) {
            completeOk(pair.client(), pair.client().send(buffer(10), tag));
        }
        progressUntil(() -> worker.value(Counter.UNEXPECTED_NOW) == 3, "the messages to wait");
        MessageInfo claimed = server().worker().newMessageInfo();
        assertTrue(server().worker().claim(3, Worker.FULL_TAG_MASK, claimed));
        pair.client().endpoint().close();
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the endpoint to end");
        assertEquals(2, worker.value(Counter.UNEXPECTED_NOW));

        for (int tag = 1; tag <= 2; tag++) {
            complete(server(), server().receive(buffer(10), tag, Worker.FULL_TAG_MASK));
            progressUntilIdle();
            assertEquals(tag, worker.value(Counter.MESSAGES_RECEIVED));
            assertEquals(2 - tag, worker.value(Counter.UNEXPECTED_NOW));
        }
        long last = server().worker().receiveClaimed(claimed, buffer(10), 0, 10, server().recorder(), 0);
        complete(server(), server().recorder().posted(last));
        progressUntilIdle();
        for (Counters counters : List.of(endpoint, worker)) {
            assertEquals(3, counters.value(Counter.MESSAGES_RECEIVED));
            assertEquals(30, counters.value(Counter.BYTES_RECEIVED));
            assertEquals(3, counters.value(Counter.UNEXPECTED_MESSAGES));
            assertEquals(0, counters.value(Counter.UNEXPECTED_NOW));
        }
    }

    @Test
    @Semantics("D-25")
    void shouldShowOtherThreadsCountsThatOnlyGrowWhileEndpointsOpenAndEnd() {
        Counters counters = client().worker().counters();
        AtomicBoolean done = new AtomicBoolean();
        CompletableFuture<Long> reader = CompletableFuture.supplyAsync(
                () -> lastOfGrowing(counters, done),
                task -> Thread.ofPlatform().name("reader").start(task));
        int rounds = repetitions(100);
        try {
            for (int round = 0; round < rounds; round++) {
                Pair pair = connect();
                long received = pair.server().receive(buffer(10), 1);
                pair.client().send(buffer(10), 1);
                completeOk(pair.server(), received);
                completeAll(client());
                pair.client().endpoint().startClose();
                progressUntil(() -> server().events().ended(pair.server().endpoint()), "the endpoint to end");
            }
        } finally {
            done.set(true);
        }
        assertEquals(rounds, reader.join());
        assertEquals(rounds, counters.value(Counter.MESSAGES_SENT));
    }

    private static long lastOfGrowing(Counters counters, AtomicBoolean done) {
        long last = 0;
        boolean ending;
        do {
            ending = done.get();
            long sent = counters.value(Counter.MESSAGES_SENT);
            assertTrue(sent >= last, "a count went backwards: last=" + last + ", now=" + sent);
            last = sent;
            Thread.yield();
        } while (!ending);
        return last;
    }

    @Test
    @Semantics("D-25")
    void shouldLetAnyThreadReadCounters() {
        PeerThread peer = newPeerThread("counted");
        End client = connect(peer);
        Counters counters = peer.call(side -> side.worker().counters());
        CompletableFuture<Void> sent = new CompletableFuture<>();
        MemorySegment target = buffer(8);
        peer.run(side -> side.receive(target, 1, Worker.FULL_TAG_MASK));
        client.send(pattern(8, 1), 1, request -> {
            client.recorder().completed(request);
            sent.complete(null);
        });
        progressUntil(() -> counters.value(Counter.MESSAGES_RECEIVED) == 1, "another thread to see the count");
        progressUntil(sent::isDone, "the send to complete");
    }

    private List<Long> postOneOfEach(Pair pair, RemoteKey key) {
        End client = pair.client();
        MemorySegment buffer = buffer(64);
        List<Long> ids = new ArrayList<>();
        pair.server().receive(buffer(64), 1);
        pair.server().receive(buffer(64), 2);
        pair.server().receive(buffer(64), 3);
        pair.server().send(buffer(64), 4);
        ids.add(client.receive(buffer(64), 4));
        ids.add(client.send(buffer, 1));
        ids.add(client.sendSynchronous(buffer, 2));
        ids.add(client.posted(
                client.endpoint().sendGather(new MemorySegment[] {buffer.asSlice(0, 8)}, 3, client.recorder())));
        if (transport().capabilities().contains(Capability.PUT)) {
            ids.add(client.put(buffer, key, 0));
            ids.add(client.flush());
        }
        if (transport().capabilities().contains(Capability.PUT_SIGNAL)) {
            ids.add(client.putSignal(buffer, 1, key, 0));
        }
        if (transport().capabilities().contains(Capability.GET)) {
            ids.add(client.get(buffer(64), key, 0));
        }
        if (transport().capabilities().contains(Capability.ATOMIC)) {
            ids.add(client.fetchOr(1, key, 8));
        }
        return ids;
    }
}
