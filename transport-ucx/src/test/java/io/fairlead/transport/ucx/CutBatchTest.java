package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.testkit.internal.RawHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches that do not arrive whole, because their sender stands still: those of others are read, and in order. */
@Timeout(60)
final class CutBatchTest {
    private static final int TURNS = 2000;
    /** More than a worker has posted receives for batches. */
    private static final int MORE_THAN_RECEIVES = 18;

    /** Of a signal for an endpoint that there is not. */
    private static final long STRAY = TransportMessage.tag(TransportMessage.SIGNAL, 60_000);

    private final Arena arena = Arena.ofConfined();
    private RawNode victim;
    private RawNode hostile;

    @BeforeEach
    void open() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().toString());
        victim = new RawNode();
        hostile = new RawNode();
    }

    @AfterEach
    void close() {
        if (victim != null) {
            progress(hostile, () -> false);
            hostile.close();
            victim.close();
        }
        arena.close();
    }

    @Test
    void shouldReadBatchesBehindOneThatDoesNotArriveWhole() {
        assertReadsHonestMessagesBehind(1);
    }

    @Test
    void shouldReadBatchesBehindSeveralThatDoNotArriveWhole() {
        assertReadsHonestMessagesBehind(3);
    }

    @Test
    void shouldReadBatchesThatFindNoReceive() {
        assertReadsHonestMessagesBehind(MORE_THAN_RECEIVES);
    }

    private void assertReadsHonestMessagesBehind(int cut) {
        RawHost otherHost = new RawHost(5, 6, false);
        otherHost.room = arena.allocate(8192);
        RawNode honest = RawNode.leading(victim);
        UcxEndpoint other = victim.connect(otherHost, honest.worker.address());
        sendHalfBatches(cut);
        UcxEndpoint honestEnd = honest.connect(new RawHost(6, 5, true), victim.worker.address());
        other.begin();
        honestEnd.begin();
        progress(honest, () -> other.isReady() && honestEnd.isReady());
        MemorySegment message = arena.allocate(4096);
        List<Long> sent = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            // UCX takes in more at once, the more it finds: the messages that follow arrive together. The queue has 32
            // slots free in any case.
            sendStrays(honest, honestEnd.state().handle(), 12);
            // Pairs of a batch and of a message outside of batches that it precedes.
            for (int pair = 0; pair < 6 - i % 6; pair++) {
                assertTrue(honestEnd.trySend(message, 0, 8, 5));
                assertTrue(honestEnd.trySend(message, 0, 4096, 5));
                sent.addAll(List.of(8L, 4096L));
            }
            progress(honest, () -> otherHost.received.size() == sent.size());
            assertNull(otherHost.failure);
            assertEquals(sent, otherHost.received);
        }
        honestEnd.close();
        other.close();
        progress(honest, () -> false);
        honest.close();
    }

    /** Each on an endpoint of its own. The sender makes no progress then. */
    private void sendHalfBatches(int count) {
        List<Long> endpoints = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long endpoint = hostile.endpoint(victim);
            endpoints.add(endpoint);
            sendStrays(hostile, endpoint, 1);
        }
        progress(hostile, () -> false);
        endpoints.forEach(this::sendHalfABatch);
    }

    /** The victim's queue of 64 is full in the middle of a message of 7 fragments, whose sender makes no more progress. */
    private void sendHalfABatch(long endpoint) {
        sendStrays(hostile, endpoint, 60);
        MemorySegment parts = arena.allocate(7 * TransportMessage.CAPACITY);
        hostile.send(endpoint, parts, parts.byteSize(), TransportMessage.tag(TransportMessage.BATCH, 60_000));
        for (int i = 0; i < 1000; i++) {
            victim.worker.progress();
        }
    }

    private void sendStrays(RawNode node, long endpoint, int count) {
        for (int i = 0; i < count; i++) {
            node.send(endpoint, arena.allocate(8), 8, STRAY);
        }
    }

    /** The victim and one other make progress. */
    private void progress(RawNode peer, BooleanSupplier condition) {
        int idle = 0;
        while (!condition.getAsBoolean() && idle < TURNS) {
            int events = peer.worker.progress() + victim.worker.progress();
            idle = events > 0 ? 0 : idle + 1;
        }
    }
}
