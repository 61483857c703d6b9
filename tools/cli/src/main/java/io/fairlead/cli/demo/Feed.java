package io.fairlead.cli.demo;

import io.fairlead.Worker;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.cli.pubsub.Pace;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.samples.data.DataSet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Publishes the rows of the data set, each as the time of its publication and the row, on two topics: one waits for its
 * subscribers, and one drops the oldest rows of a subscriber that cannot follow. One thread, that of the worker.
 */
final class Feed {
    static final String LOSSLESS = "strikes";
    static final String LOSSY = "strikes-latest";
    static final long HEADER_BYTES = Long.BYTES;

    /** Small, so that a slow subscriber misses rows soon and has little to catch up with at the end. */
    private static final long LOSSY_BACKLOG_BYTES = 256 << 10;

    private static final int LOSSY_BATCH_BYTES = 4 << 10;
    private static final long JOIN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final long DRAIN_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long WAIT_MAX_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long REPORT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(250);
    /** Rows that are published between two calls of progress; peers would stall without such calls. */
    private static final int BURST = 64;

    private final DataSet rows = DataSet.load();
    private final Worker worker;
    private final Publisher publisher;
    private final StopSignal stop;
    private final double rate;
    private final Topic lossless;
    private final Topic lossy;
    private long reportedNs;

    Feed(Worker worker, Publisher publisher, StopSignal stop, double rate) {
        this.worker = worker;
        this.publisher = publisher;
        this.stop = stop;
        this.rate = rate;
        lossless = publisher.topic(LOSSLESS);
        lossy = publisher.topic(
                LOSSY,
                TopicOptions.defaults()
                        .withSlowPolicy(SlowPolicy.DROP_OLDEST)
                        .withBatchBytes(LOSSY_BATCH_BYTES)
                        .withBacklogBytes(LOSSY_BACKLOG_BYTES));
    }

    /** Waits for that many subscribers of either topic, but not for ever: one of them may have died. */
    void awaitSubscribers(int count) {
        long deadline = System.nanoTime() + JOIN_TIMEOUT_NS;
        while (lossless.subscriberCount() + lossy.subscriberCount() < count && waiting(deadline)) {
            progress(WAIT_MAX_NS);
        }
    }

    /** Publishes for that long, waits until everything is sent, and returns the number of rows. */
    long publish(double seconds) {
        long sent = 0;
        long start = System.nanoTime();
        long end = start + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        Pace pace = new Pace(rate, start);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(HEADER_BYTES + rows.longest(), Long.BYTES);
            while (waiting(end)) {
                long waitNs = pace.waitNs(sent, System.nanoTime());
                if (waitNs <= 0) {
                    publishRow(message, rows.row(sent++));
                }
                if (waitNs > 0 || sent % BURST == 0) {
                    progress(Math.clamp(waitNs, 0, WAIT_MAX_NS));
                    report(sent);
                }
            }
        }
        long deadline = System.nanoTime() + DRAIN_TIMEOUT_NS;
        while (!publisher.drained() && waiting(deadline)) {
            progress(WAIT_MAX_NS);
        }
        return sent;
    }

    private void publishRow(MemorySegment message, byte[] row) {
        MemorySegment.copy(row, 0, message, ValueLayout.JAVA_BYTE, HEADER_BYTES, row.length);
        message.set(ValueLayout.JAVA_LONG, 0, System.nanoTime());
        for (Topic topic : new Topic[] {lossless, lossy}) {
            while (topic.publish(message, 0, HEADER_BYTES + row.length) < 0 && !stop.requested()) {
                progress(WAIT_MAX_NS);
            }
        }
    }

    private boolean waiting(long deadlineNs) {
        return !stop.requested() && System.nanoTime() - deadlineNs < 0;
    }

    private void progress(long waitNs) {
        if (worker.progress() == 0 && waitNs > 0) {
            worker.await(waitNs);
        }
    }

    private void report(long sent) {
        if (System.nanoTime() - reportedNs > REPORT_INTERVAL_NS) {
            reportedNs = System.nanoTime();
            DemoEvent.tell(new DemoEvent.Progress(sent, 0, 0, 0, 0));
        }
    }
}
