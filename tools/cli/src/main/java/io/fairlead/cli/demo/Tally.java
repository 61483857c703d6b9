package io.fairlead.cli.demo;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Path;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** What a subscriber of the demo got and missed, and how long it took; one thread, that of the worker. */
final class Tally implements MessageHandler, SubscriptionEvents {
    private static final long LATENCY_MAX_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long REPORT_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final double MICROSECOND_NS = 1000;

    private final Histogram latencies = new Histogram(LATENCY_MAX_NS, 3);
    private final RowChecksum checksum = new RowChecksum();
    private final List<Verdict.Gap> gaps = new ArrayList<>();
    private long received;
    private long missed;
    private long switches;
    private final long warmUpNs;
    private long firstNs;
    /** The rows that came while the processes loaded and compiled their code are behind. */
    private boolean warm;

    private long reportedNs;
    private boolean pathTold;
    private boolean ended;
    private @Nullable RuntimeException failure;

    /**
     * Starts without rows.
     *
     * @param warmUpNs the times of the rows that come so long from the first one on are forgotten, and no other figure of them
     */
    Tally(long warmUpNs) {
        this.warmUpNs = warmUpNs;
    }

    /**
     * Counts a row. The publisher wrote the time into it, by a clock that all processes of a Linux host share
     * ({@code CLOCK_MONOTONIC}, which {@link System#nanoTime()} reads), so the difference is the time from publishing to here.
     */
    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        long nowNs = System.nanoTime();
        if (received == 0) {
            firstNs = nowNs;
        }
        if (!warm && nowNs - firstNs >= warmUpNs) {
            warm = true;
            latencies.reset();
        }
        long latencyNs = nowNs - buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
        latencies.recordValue(Math.clamp(latencyNs, 0, LATENCY_MAX_NS));
        MemorySegment row = buffer.asSlice(offset + Feed.HEADER_BYTES, length - Feed.HEADER_BYTES);
        checksum.add(index(sequence), row.asByteBuffer());
        received++;
    }

    /** The index of a row, counted from 0, while sequence numbers count from 1. */
    private static long index(long sequence) {
        return sequence - 1;
    }

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        if (nextSequence > 1) {
            addGap(1, nextSequence - 1);
        }
    }

    @Override
    public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
        addGap(firstSequence, lastSequence);
    }

    private void addGap(long firstSequence, long lastSequence) {
        long count = lastSequence - firstSequence + 1;
        gaps.add(new Verdict.Gap(index(firstSequence), count));
        missed += count;
    }

    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        if (cause.reason() != Reason.CLOSED) {
            failure = CommandFailure.failed(
                    "publisher lost after " + received + " rows: " + cause.reason() + ", " + cause.getMessage());
        }
        ended = true;
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        if (!ended) {
            failure = cause;
            ended = true;
        }
    }

    /**
     * Whether the publisher has closed the topic.
     *
     * @throws RuntimeException if the publisher was lost, or the subscription has ended
     */
    boolean ended() {
        if (failure != null) {
            throw failure;
        }
        return ended;
    }

    /**
     * Reports the path to the parent once there is one, and the progress every quarter of a second.
     *
     * @param switchesNow how often the connection has gone on over another one
     */
    void report(Optional<Path> path, long switchesNow) {
        switches = switchesNow;
        if (!pathTold && path.isPresent()) {
            pathTold = true;
            DemoEvent.tell(DemoEvent.Connected.over(path.get()));
        }
        long nowNs = System.nanoTime();
        if (nowNs - reportedNs > REPORT_INTERVAL_NS) {
            reportedNs = nowNs;
            DemoEvent.tell(new DemoEvent.Progress(received, missed, switches, percentileUs(50), percentileUs(99)));
        }
    }

    void reportEnd() {
        DemoEvent.tell(
                new DemoEvent.Received(received, gaps, switches, checksum.hex(), percentileUs(50), percentileUs(99)));
    }

    private double percentileUs(double percentile) {
        return latencies.getValueAtPercentile(percentile) / MICROSECOND_NS;
    }
}
