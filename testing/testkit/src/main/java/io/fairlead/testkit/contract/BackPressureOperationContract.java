package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fairlead.Capability;
import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.MemoryRegion;
import io.fairlead.MessageInfo;
import io.fairlead.RemoteKey;
import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The bound on operations in flight; a post that it refuses has no effect. */
public class BackPressureOperationContract extends BackPressureCases {
    private static final int BLOCK = 1 << 16;

    /** Creates the suite of one case; JUnit does. */
    protected BackPressureOperationContract() {}

    /** Every kind of post, each of which would be taken if there were capacity. */
    private Map<String, LongSupplier> posts(End end, RemoteKey key) {
        Endpoint endpoint = end.endpoint();
        Recorder recorder = end.recorder();
        MemorySegment buffer = pattern(8, 1);
        MemorySegment[] parts = {buffer};
        Map<String, LongSupplier> posts = new LinkedHashMap<>();
        posts.put("send", () -> endpoint.send(buffer, 0, 8, 1, recorder, 0));
        posts.put("sendGather", () -> endpoint.sendGather(parts, 1, recorder));
        posts.put("sendSynchronous", () -> endpoint.sendSynchronous(buffer, 0, 8, 1, recorder, 0));
        posts.put("receive", () -> endpoint.receive(buffer, 0, 8, 1, FULL, recorder, 0));
        posts.put("receive from any", () -> end.worker().receive(buffer, 0, 8, 1, FULL, recorder, 0));
        posts.put("put", () -> endpoint.put(buffer, 0, 8, key, 0, recorder, 0));
        posts.put("putSignal", () -> endpoint.putSignal(buffer, 1, key, 0, recorder));
        posts.put("get", () -> endpoint.get(buffer, 0, 8, key, 0, recorder, 0));
        posts.put("atomic", () -> endpoint.fetchAdd(1, key, 0, recorder));
        posts.put("flush", () -> endpoint.flush(recorder));
        return posts;
    }

    @Test
    @Semantics({"B-01", "B-02"})
    void shouldRefuseEveryKindOfOperationBeyondBoundAndStartNothing() {
        requires(Capability.PUT, Capability.GET, Capability.ATOMIC, Capability.PUT_SIGNAL, Capability.SYNCHRONOUS_SEND);
        Pair pair = connect();
        MemoryRegion region = server().context().allocate(64, RemoteMemoryCases.ALL_RIGHTS);
        RemoteKey key = pair.client().unpack(region);
        List<Long> receives = fillWithReceives(pair.client());

        for (int round = 0; round < 3; round++) {
            posts(pair.client(), key)
                    .forEach((name, post) -> assertEquals(Status.BACK_PRESSURE, Status.of(post.getAsLong()), name));
            progressUntilIdle();
        }

        assertEquals(OPERATIONS_MAX, inFlight(client()));
        assertEquals(0, client().recorder().count(), "completions of what was refused");
        assertEquals(0, server().worker().counters().value(Counter.UNEXPECTED_MESSAGES), "messages that arrived");
        assertEquals(List.of(), server().events().signals(pair.server().endpoint()));
        Pattern.verifyFilled(region.segment(), 0, 64, (byte) 0);
        receives.forEach(receive -> assertTrue(client().worker().cancel(receive)));
        completeAll(client());
        // With capacity again, each of them is taken and ends.
        pair.server().receive(buffer(8), 1);
        pair.server().receive(buffer(8), 1);
        pair.server().receive(buffer(8), 1);
        posts(pair.client(), key).forEach((name, post) -> {
            if (!name.startsWith("receive")) {
                completeOk(pair.client(), pair.client().posted(post.getAsLong()));
            }
        });
        completeAll(server());
    }

    private List<Long> fillWithReceives(End end) {
        List<Long> receives = new ArrayList<>();
        for (int i = 0; i < OPERATIONS_MAX; i++) {
            receives.add(end.receive(buffer(8), 1000 + i));
        }
        return receives;
    }

    @Test
    @Semantics("B-03")
    void shouldTakeOperationsAsOthersComplete() {
        Pair pair = connect();
        int count = 20 * OPERATIONS_MAX;
        MemorySegment source = pattern(8, 1);
        MemorySegment target = buffer(8);
        End server = pair.server();
        LongSupplier receive =
                () -> recorded(server, server.endpoint().receive(target, 0, 8, 1, FULL, server.recorder(), 0));
        LongSupplier send = sending(pair.client(), source, 1);
        int sent = 0;
        int posted = 0;
        // The receiver is asked first, so that its bound is reached and not only the sender's.
        while (sent < count || posted < count) {
            while (posted < count && tryPost(receive)) {
                posted++;
            }
            while (sent < count && tryPost(send)) {
                sent++;
            }
            assertTrue(inFlight(client()) <= OPERATIONS_MAX);
            assertTrue(inFlight(server()) <= OPERATIONS_MAX);
            progress();
        }
        completeAll(server());
        completeAll(client());
        assertEquals(count, server().recorder().count());
        assertTrue(server().worker().counters().value(Counter.BACK_PRESSURE_EVENTS) > 0, "the bound was never reached");
    }

    @Test
    @Semantics("B-04")
    void shouldMakeRoomByCancelling() {
        Pair pair = connect();
        List<Long> receives = fillWithReceives(pair.client());
        LongSupplier send = sending(pair.client(), buffer(8), 1);
        assertFalse(tryPost(send));

        client().worker().cancel(receives.get(7));
        complete(client(), receives.get(7));

        assertTrue(tryPost(send), "one operation has ended");
        completeOk(pair.server(), pair.server().receive(buffer(8), 1));
        progressUntil(() -> inFlight(client()) == OPERATIONS_MAX - 1, "the send to complete");
        receives.forEach(client().worker()::cancel);
        completeAll(client());
    }

    @Test
    @Semantics("B-01")
    void shouldBoundOperationsOfAllEndpointsTogether() {
        List<Pair> pairs = List.of(connect(), connect(), connect());
        int taken = 0;
        for (int i = 0; taken < OPERATIONS_MAX; i++) {
            pairs.get(i % 3).client().receive(buffer(8), i);
            taken++;
        }
        for (Pair pair : pairs) {
            assertFalse(tryPost(sending(pair.client(), buffer(8), 1)));
        }
        assertEquals(OPERATIONS_MAX, inFlight(client()));
        // The other side's worker has a bound of its own.
        assertTrue(tryPost(sending(pairs.getFirst().server(), buffer(8), 5000)));
        completeAll(server());
        MessageInfo info = client().worker().newMessageInfo();
        progressUntil(() -> client().worker().probe(5000, FULL, info), "the message to arrive");
    }

    @Test
    @Semantics("B-02")
    void shouldRefuseToReceiveClaimedMessageAndKeepIt() {
        Pair pair = connect();
        completeOk(pair.server(), pair.server().send(pattern(64, 1), 1));
        MessageInfo info = client().worker().newMessageInfo();
        progressUntil(() -> client().worker().claim(1, FULL, info), "the message to be claimed");
        List<Long> receives = fillWithReceives(pair.client());
        MemorySegment target = buffer(64);
        LongSupplier receive = () -> client().worker().receiveClaimed(info, target, 0, 64, client().recorder(), 0);

        assertFalse(tryPost(receive));

        assertTrue(info.isClaimed());
        client().worker().cancel(receives.getFirst());
        complete(client(), receives.getFirst());
        complete(client(), client().recorder().posted(receive.getAsLong()));
        Pattern.verify(target, 0, 64, 1);
        receives.forEach(client().worker()::cancel);
        completeAll(client());
    }

    @Test
    @Semantics("B-14")
    void shouldBoundSendsToPeerThatMakesNoProgress() {
        Pair pair = connect();
        progressUntilIdle();
        MemorySegment source = pattern(1024, 1);
        LongSupplier send = sending(pair.client(), source, 1);
        int taken = 0;
        for (int idle = 0; idle < 1000; idle++) {
            while (tryPost(send)) {
                taken++;
                idle = 0;
                assertTrue(taken * 1024L <= CREDIT_BYTES, "more bytes under way than the receiver has granted");
            }
            client().progress();
        }
        assertTrue(taken > 0);
        MemorySegment target = buffer(1024);
        for (int i = 0; i < taken; i++) {
            completeOk(pair.server(), pair.server().receive(target, 1));
            Pattern.verify(target, 0, 1024, 1);
        }
        completeAll(client());
    }

    @Test
    @Semantics("B-14")
    void shouldBoundPutsToPeerThatMakesNoProgress() {
        requires(Capability.PUT);
        assumeFalse(
                transport().capabilities().contains(Capability.ONE_SIDED),
                () -> transport().name() + " needs no progress of the target");
        Pair pair = connect();
        int blocks = 64;
        MemoryRegion region = server().context().allocate((long) blocks * BLOCK, RemoteMemoryCases.ALL_RIGHTS);
        RemoteKey key = pair.client().unpack(region);
        progressUntilIdle();
        End client = pair.client();
        MemorySegment source = pattern(BLOCK, 1);
        int taken = 0;
        for (int idle = 0; idle < 1000; idle++) {
            long offset = (long) taken % blocks * BLOCK;
            LongSupplier put =
                    () -> recorded(client, client.endpoint().put(source, 0, BLOCK, key, offset, client.recorder(), 0));
            if (tryPost(put)) {
                taken++;
                idle = 0;
                // What the kernel's socket buffers take is bounded by the kernel.
                assertTrue(taken < 100_000, "puts are taken without end");
            } else {
                client().progress();
            }
        }
        assertTrue(inFlight(client()) <= OPERATIONS_MAX);
        assertTrue(taken >= blocks, "too few to fill the region");
        completeAll(client());
        completeOk(client, client.flush());
        for (int i = 0; i < blocks; i++) {
            Pattern.verify(region.segment(), (long) i * BLOCK, BLOCK, 1);
        }
    }

    @Test
    @Semantics("B-16")
    void shouldCloseEndpointUnderBackPressure() {
        Pair pair = connect();
        Pair bystander = connect();
        MemorySegment small = pattern(1024, 1);
        MemorySegment large = pattern(1 << 20, 2);
        for (int i = 0; i < 20; i++) {
            postWhenTaken(sending(pair.client(), large, 2));
        }
        for (int i = 0; i < 10; i++) {
            pair.client().receive(buffer(8), 3);
        }
        postUntilStopped(sending(pair.client(), small, 1), CREDIT_BYTES);

        pair.client().endpoint().close();

        assertEquals(EndpointState.CLOSED, pair.client().endpoint().state());
        assertEquals(0, client().recorder().outstanding(), "operations left by close");
        long closed = client().recorder().outcomes().stream()
                .filter(outcome -> outcome.status() == Status.CLOSED)
                .count();
        assertEquals(30, closed, "receives and unmatched sends that the close ended");
        assertEquals(Status.CLOSED, Status.of(sending(pair.client(), small, 1).getAsLong()));
        progressUntil(() -> server().events().ended(pair.server().endpoint()), "the server to see the end");
        MemorySegment target = buffer(8);
        long receive = bystander.server().receive(target, 9);
        bystander.client().send(pattern(8, 9), 9);
        completeOk(bystander.server(), receive);
        completeAll(client());
    }
}
