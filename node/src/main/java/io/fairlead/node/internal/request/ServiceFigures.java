package io.fairlead.node.internal.request;

import io.fairlead.node.RequestStatus;
import io.fairlead.node.ServiceStatistics;
import io.fairlead.statistics.DurationHistogram;
import java.util.concurrent.atomic.AtomicLongArray;

/** What is counted of one service on one side. Thread-safe. */
@SuppressWarnings("EnumOrdinal") // An index of counters.
final class ServiceFigures implements ServiceStatistics, TagMap.Tagged {
    private static final int STATUSES = RequestStatus.values().length;
    private static final int SUM = DurationHistogram.BUCKETS;

    private final long tag;
    private final String service;
    private final Side side;
    private final AtomicLongArray ends = new AtomicLongArray(STATUSES);
    /** Buckets and the sum. */
    private final AtomicLongArray durations = new AtomicLongArray(SUM + 1);

    private final AtomicLongArray waits = new AtomicLongArray(SUM + 1);

    ServiceFigures(long tag, String service, Side side) {
        this.tag = tag;
        this.service = service;
        this.side = side;
    }

    /** The tag of the first request that it counted. */
    @Override
    public long tag() {
        return tag;
    }

    /** A request has ended, which has taken so long. */
    void ended(RequestStatus status, long durationNs) {
        ends.getAndIncrement(status.ordinal());
        add(durations, durationNs);
    }

    /** A request has ended before it had a handler. */
    void refused(RequestStatus status) {
        ends.getAndIncrement(status.ordinal());
    }

    /** A handler is called. */
    void began(long waitNs) {
        add(waits, waitNs);
    }

    private static void add(AtomicLongArray to, long durationNs) {
        to.getAndIncrement(DurationHistogram.bucket(durationNs));
        to.getAndAdd(SUM, Math.max(0, durationNs));
    }

    @Override
    public String service() {
        return service;
    }

    @Override
    public Side side() {
        return side;
    }

    @Override
    public long count(RequestStatus status) {
        return ends.get(status.ordinal());
    }

    @Override
    public DurationHistogram duration() {
        return snapshot(durations);
    }

    @Override
    public DurationHistogram waiting() {
        return snapshot(waits);
    }

    private static DurationHistogram snapshot(AtomicLongArray of) {
        long[] counts = new long[DurationHistogram.BUCKETS];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = of.get(i);
        }
        return new DurationHistogram(counts, of.get(SUM));
    }
}
