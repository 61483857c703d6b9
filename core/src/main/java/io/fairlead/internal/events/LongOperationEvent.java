package io.fairlead.internal.events;

import io.fairlead.statistics.OperationKind;
import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A long operation, among those whose latency is measured anyway: one in {@code metrics.latency-sampling}. */
@Name("fairlead.LongOperation")
@Label("Long Operation")
@Description(
        "An operation that took at least the setting 'minimum', of those whose latency was sampled; receives, which wait, left out")
@Category("Fairlead")
@StackTrace(false)
public final class LongOperationEvent extends EndpointEvent {
    private static final LongOperationEvent WATCH = new LongOperationEvent();

    @Label("Operation")
    String operation = "";

    @Label("Length")
    @DataAmount
    long length;

    @Label("Latency")
    @Description("From the post to the end")
    @Timespan(Timespan.NANOSECONDS)
    long latency;

    /** Whether a recording includes such events. */
    public static boolean isRecorded() {
        return WATCH.isEnabled();
    }

    /** A timed operation other than a receive has succeeded. */
    public static void consider(
            OperationKind kind, String node, @Nullable EndpointSubject on, long length, long durationNs) {
        LongOperationEvent event = new LongOperationEvent();
        event.latency = durationNs;
        if (!event.shouldCommit()) {
            return;
        }
        event.node = node;
        if (on != null) {
            event.endpoint = on.label();
            event.transport = on.transportName();
        }
        event.operation = kind.name().toLowerCase(Locale.ROOT);
        event.length = length;
        event.commit();
    }

    @SettingDefinition
    @Name("minimum")
    @Label("Minimum")
    @Description("Shorter operations are left out")
    boolean minimum(LeastDuration least) {
        return least.isReached(latency);
    }
}
