package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A worker made progress again after a stall. */
@Name("fairlead.ProgressStalled")
@Label("Progress Stalled")
@Description("A worker made no progress for at least the setting 'minimum'; reported by its thread when it resumes")
@Category("Fairlead")
@StackTrace(false)
public final class ProgressStalledEvent extends Event {
    /** Shorter stalls are irrelevant, and an idle worker reads its clock often. */
    private static final long LEAST_NS = 1_000_000;

    private static final ProgressStalledEvent WATCH = new ProgressStalledEvent();

    @Label("Gap")
    @Timespan(Timespan.NANOSECONDS)
    long gap;

    /** The time between two readings of the clock. */
    public static void consider(long gapNs) {
        if (gapNs >= LEAST_NS && WATCH.isEnabled()) {
            ProgressStalledEvent event = new ProgressStalledEvent();
            event.gap = gapNs;
            event.commit();
        }
    }

    @SettingDefinition
    @Name("minimum")
    @Label("Minimum")
    @Description("Shorter gaps are left out")
    boolean minimum(LeastDuration least) {
        return least.isReached(gap);
    }
}
