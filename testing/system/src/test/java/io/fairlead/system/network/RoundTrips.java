package io.fairlead.system.network;

import java.util.concurrent.atomic.LongAccumulator;

/** How long a process waits for answers. Any thread may end a round trip, and one reports. */
final class RoundTrips {
    private final LongAccumulator lastNs = new LongAccumulator(Math::min, Long.MAX_VALUE);
    private long reportedNs;
    private long fastestNs = Long.MAX_VALUE;

    void end(long beganNs) {
        lastNs.accumulate(System.nanoTime() - beganNs);
    }

    /**
     * The values for {@link Report#progress} in microseconds: {@code roundTrip}, the fastest since the report before, or without one that of the report before,
     * and {@code fastest} of all.
     */
    String report() {
        long ns = lastNs.getThenReset();
        if (ns != Long.MAX_VALUE) {
            reportedNs = ns;
            fastestNs = Math.min(fastestNs, ns);
        }
        return "roundTrip=" + reportedNs / 1000 + " fastest=" + fastestNs / 1000;
    }
}
