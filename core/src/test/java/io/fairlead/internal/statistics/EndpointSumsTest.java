package io.fairlead.internal.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Status;
import io.fairlead.statistics.Counter;
import io.fairlead.statistics.OperationKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One thread counts, opens endpoints and ends them; others add up meanwhile. */
@Timeout(60)
final class EndpointSumsTest {
    private static final int READERS = 2;
    private static final int ENDPOINTS = 20_000;
    private static final int OPEN = 50;
    private static final int SENDS = 7;
    private static final int LENGTH = 11;

    private final ContextStatistics context = new ContextStatistics(List.of("tcp"), 2);
    private final WorkerStatistics worker = context.newWorker(0, () -> 0);
    private final CountDownLatch reading = new CountDownLatch(READERS);
    /** How many sends have been counted at least, as far as the writer has told. */
    private final AtomicLong counted = new AtomicLong();

    private volatile boolean done;

    @Test
    void shouldShowReadersSumsThatNeitherGoBackwardsNorCountTwice() throws InterruptedException {
        context.open(worker);
        List<CompletableFuture<Long>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            readers.add(CompletableFuture.supplyAsync(this::read, runnable -> new Thread(runnable, "reader").start()));
        }
        reading.await();
        ArrayDeque<CounterSet> open = new ArrayDeque<>();
        for (int i = 0; i < ENDPOINTS; i++) {
            CounterSet set = new CounterSet();
            worker.addSet(1, set);
            open.add(set);
            count(set);
            if (open.size() == OPEN) {
                worker.foldSet(1, open.remove());
            }
        }
        open.forEach(set -> worker.foldSet(1, set));
        done = true;
        for (CompletableFuture<Long> reader : readers) {
            assertTrue(reader.join() > 0, "a reader never read");
        }
        assertEquals((long) ENDPOINTS * SENDS, worker.value(Counter.MESSAGES_SENT));
        assertEquals((long) ENDPOINTS * SENDS * LENGTH, context.bytes("tcp", OperationKind.SEND));
    }

    private void count(CounterSet set) {
        for (int i = 0; i < SENDS; i++) {
            set.countOperation(OperationKind.SEND.ordinal(), Status.OK, LENGTH);
        }
        counted.addAndGet(SENDS);
    }

    private long read() {
        long looks = 0;
        long lastSent = 0;
        long lastBytes = 0;
        reading.countDown();
        while (!done) {
            long least = counted.get();
            long sent = worker.value(Counter.MESSAGES_SENT);
            long bytes = context.bytes("tcp", OperationKind.SEND);
            // Between two stores of its own number the writer counts one endpoint's.
            long most = counted.get() + SENDS;
            assertTrue(sent >= least, () -> "sends " + sent + ", counted " + least);
            assertTrue(sent <= most, () -> "sends " + sent + ", counted no more than " + most);
            assertTrue(bytes >= least * LENGTH && bytes <= most * LENGTH, () -> "bytes " + bytes);
            assertTrue(sent >= lastSent && bytes >= lastBytes, "a sum went backwards");
            lastSent = sent;
            lastBytes = bytes;
            looks++;
        }
        return looks;
    }
}
