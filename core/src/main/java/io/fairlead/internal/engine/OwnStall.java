package io.fairlead.internal.engine;

import io.fairlead.Worker;
import io.fairlead.internal.config.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Detects stalls of this worker itself: meanwhile it has neither received nor sent anything. */
final class OwnStall {
    /** Applications configure the logger by this name, so it is one of the API. */
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private static final long LOOK_NS = 5_000_000;
    private static final long MS = 1_000_000;

    private final Settings settings;
    private long lookedNs = System.nanoTime();
    /** The last relevant stall, and its end. */
    private long stallNs;

    private long endedNs;

    OwnStall(Settings settings) {
        this.settings = settings;
    }

    boolean isLookDue(long nowNs) {
        return nowNs - lookedNs >= LOOK_NS;
    }

    /**
     * Measures the time since the last check.
     *
     * @param endpoints the number of peers that wait for this worker
     * @return that time, only part of which counts against peers
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

    /** A note for the failure of an endpoint that its peer has ended; empty if this worker was not stalled. */
    String note() {
        long nowNs = System.nanoTime();
        // A transport reports failures before the first check after a stall.
        long runningNs = nowNs - lookedNs;
        long latestNs = runningNs > settings.livenessNs() / 2
                ? runningNs
                : stallNs > 0 && nowNs - endedNs < settings.livenessNs() ? stallNs : 0;
        return latestNs == 0 ? "" : ", after this worker had stood still for " + latestNs / MS + " ms";
    }
}
