package io.fairlead.internal.statistics;

import io.fairlead.internal.events.FlightRecording;
import io.fairlead.internal.events.ProgressStalledEvent;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How long a worker has gone without progress. The worker's thread writes whenever it reads the clock, any thread
 * reads.
 *
 * <p>The longest gap is kept for the current and the previous minute. A reader that comes once a minute misses none,
 * and old ones are forgotten.
 */
public final class StallMonitor {
    private static final long WINDOW_NS = 60_000_000_000L;
    private static final VarHandle LONGEST;
    private static final VarHandle LONGEST_BEFORE;
    private static final VarHandle LOOKED;
    private static final VarHandle WAITING;

    static {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        try {
            LONGEST = lookup.findVarHandle(StallMonitor.class, "longestNs", long.class);
            LONGEST_BEFORE = lookup.findVarHandle(StallMonitor.class, "longestBeforeNs", long.class);
            LOOKED = lookup.findVarHandle(StallMonitor.class, "lookedNs", long.class);
            WAITING = lookup.findVarHandle(StallMonitor.class, "waiting", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long longestNs;

    @SuppressWarnings("UnusedVariable") // Read through its VarHandle.
    private long longestBeforeNs;

    private long lookedNs;
    private long windowNs;
    /** No progress is expected: the worker is new, waits, or is closed. */
    private boolean waiting = true;

    StallMonitor(long nowNs) {
        lookedNs = nowNs;
        windowNs = nowNs;
    }

    /** Progress is being made. */
    public void recordProgress(long nowNs) {
        long gapNs = waiting ? 0 : nowNs - lookedNs;
        if (FlightRecording.hasBegun()) {
            ProgressStalledEvent.consider(gapNs);
        }
        if (nowNs - windowNs >= WINDOW_NS) {
            LONGEST_BEFORE.setOpaque(this, nowNs - windowNs >= 2 * WINDOW_NS ? 0 : longestNs);
            LONGEST.setOpaque(this, gapNs);
            windowNs = nowNs;
        } else if (gapNs > longestNs) {
            LONGEST.setOpaque(this, gapNs);
        }
        LOOKED.setOpaque(this, nowNs);
        if (waiting) {
            WAITING.setRelease(this, false);
        }
    }

    /** The worker makes no progress for a legitimate reason until the next progress. */
    public void suspend() {
        WAITING.setOpaque(this, true);
    }

    /** The longest recent gap, including the current one. */
    long gapNs(long nowNs) {
        long ended = Math.max((long) LONGEST.getOpaque(this), (long) LONGEST_BEFORE.getOpaque(this));
        return Math.max(ended, stallNs(nowNs));
    }

    /** The current gap. */
    long stallNs(long nowNs) {
        return (boolean) WAITING.getAcquire(this) ? 0 : Math.max(0, nowNs - (long) LOOKED.getOpaque(this));
    }
}
