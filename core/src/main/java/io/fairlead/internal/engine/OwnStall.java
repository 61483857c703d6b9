package io.fairlead.internal.engine;

import io.fairlead.Worker;
import io.fairlead.internal.config.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether this worker itself stood still: what its peers said meanwhile it has not heard, and they have heard nothing of it. */
final class OwnStall {
    /** The name is an application's handle on the line, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private static final long LOOK_NS = 5_000_000;
    private static final long MS = 1_000_000;

    private final Settings settings;
    private long lookedNs = System.nanoTime();
    /** The last one that mattered, and when it ended. */
    private long stallNs;

    private long endedNs;

    OwnStall(Settings settings) {
        this.settings = settings;
    }

    boolean isLookDue(long nowNs) {
        return nowNs - lookedNs >= LOOK_NS;
    }

    /**
     * Measures the time since the last look.
     *
     * @param endpoints how many peers wait for this worker
     * @return that time, of which not all counts against peers
     */
    long lookNs(long nowNs, int endpoints) {
        long gapNs = nowNs - lookedNs;
        lookedNs = nowNs;
        if (gapNs <= settings.livenessNs() / 2) {
            return gapNs;
        }
        stallNs = gapNs;
        endedNs = nowNs;
        if (gapNs > settings.livenessNs() && endpoints > 0) {
            LOG.warn(
                    "a worker of {} made no progress for {} ms: endpoints={}; peers fail theirs at their stall.timeout",
                    settings.name(),
                    gapNs / MS,
                    endpoints);
        }
        return gapNs;
    }

    /** What is to be added to the failure of an endpoint that a peer has given up; empty if this worker was there. */
    String note() {
        long nowNs = System.nanoTime();
        // A transport reports what it finds before the first look after a stall.
        long runningNs = nowNs - lookedNs;
        long latestNs = runningNs > settings.livenessNs() / 2
                ? runningNs
                : stallNs > 0 && nowNs - endedNs < settings.livenessNs() ? stallNs : 0;
        return latestNs == 0 ? "" : ", after this worker had stood still for " + latestNs / MS + " ms";
    }
}
