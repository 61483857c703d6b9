package io.fairlead.internal;

import java.util.Locale;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** An operation that took long, among those whose latency is taken anyway: one in {@code metrics.latency-sampling}. */
@Name("fairlead.LongOperation")
@Label("Long Operation")
@Description(
        "An operation that took at least the setting 'minimum', of those whose latency was sampled; receives, which wait, left out")
@Category("Fairlead")
@StackTrace(false)
final class LongOperationEvent extends EndpointEvent {
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

    /** The operation has ended well, and was timed. */
    static void consider(CoreOperation operation, long durationNs) {
        if (WATCH.isEnabled() && operation.kind != CoreOperation.RECEIVE) {
            judge(operation, durationNs);
        }
    }

    private static void judge(CoreOperation ended, long durationNs) {
        LongOperationEvent event = new LongOperationEvent();
        event.latency = durationNs;
        if (!event.shouldCommit()) {
            return;
        }
        CoreEndpoint on = ended.owner();
        event.node = ended.worker.settings().name();
        if (on != null) {
            event.endpoint = on.life().label();
            event.transport = on.life().transportName();
        }
        event.operation = ended.operationKind().name().toLowerCase(Locale.ROOT);
        event.length = ended.length();
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
