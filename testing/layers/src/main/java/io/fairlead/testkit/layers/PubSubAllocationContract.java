package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Completion;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.Topic;
import io.fairlead.testkit.contract.Pair;
import io.fairlead.testkit.contract.Semantics;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

/** Publishing and receiving allocate nothing in steady state. */
public class PubSubAllocationContract extends PubSubCases {
    private static final int ROUNDS = repetitions(5_000);
    private static final int REPEATS = 5;

    /** Creates the suite. */
    protected PubSubAllocationContract() {}

    @Test
    @Semantics("P-20")
    void shouldAllocateNothingForSingleMessages() {
        assertAllocatesNothing(1);
    }

    @Test
    @Semantics("P-20")
    void shouldAllocateNothingForBatches() {
        assertAllocatesNothing(100);
    }

    /**
     * Both sides run on this thread, so that what it allocates is what they allocate. What the transport allocates for plain messages of
     * a batch's length is permitted, and half as much again for credits.
     */
    private void assertAllocatesNothing(int messagesPerTurn) {
        Publisher publisher = publisher();
        Topic topic = publisher.topic("numbers");
        Subscriber subscriber = subscriber(publisher);
        long[] received = new long[1];
        Subscription subscription =
                subscriber.subscribe("numbers", (name, sequence, buffer, offset, length) -> received[0] += length);
        awaitLive(subscription);
        MemorySegment buffer = buffer(32);
        long allocated = allocated(() -> exchange(topic, subscription, buffer, messagesPerTurn));
        assertEquals(2L * REPEATS * ROUNDS * messagesPerTurn * 32, received[0]);
        Pair pair = connect();
        MemorySegment source = buffer(48L * messagesPerTurn);
        MemorySegment target = buffer(48L * messagesPerTurn);
        long plain = allocated(() -> exchange(pair, source, target));
        long limit = plain * 3 / 2 + (long) ROUNDS * messagesPerTurn / 10;
        assertTrue(
                allocated <= limit,
                "bytes=" + allocated + ", limit=" + limit + ", of the transport=" + plain + ", messages="
                        + ROUNDS * messagesPerTurn);
    }

    /** The least of a few repetitions, as the compiler's own work on this thread is not the code's. */
    private static long allocated(Runnable work) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < REPEATS; i++) {
            work.run();
        }
        long least = Long.MAX_VALUE;
        for (int i = 0; i < REPEATS; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            work.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    private void exchange(Pair pair, MemorySegment source, MemorySegment target) {
        long[] done = new long[1];
        Completion completion = request -> done[0]++;
        for (int round = 0; round < ROUNDS; round++) {
            long receive = pair.client().endpoint().receive(target, 1, completion);
            long send = 0;
            assertTrue(receive > 0);
            do {
                // The receiver's credits may be on their way back.
                if (send <= 0) {
                    send = pair.server().endpoint().send(source, 1, completion);
                }
                server().worker().progress();
                client().worker().progress();
            } while (done[0] < 2L * (round + 1));
        }
    }

    private void exchange(Topic topic, Subscription subscription, MemorySegment buffer, int messagesPerTurn) {
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < messagesPerTurn; i++) {
                assertTrue(topic.publish(buffer, 0, 32) > 0);
            }
            do {
                server().worker().progress();
                client().worker().progress();
            } while (subscription.lastSequence() != topic.sequence());
        }
    }
}
