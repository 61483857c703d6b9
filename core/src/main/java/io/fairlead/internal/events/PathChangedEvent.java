package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The lanes of an endpoint failed, and it goes on over its control connection. */
@Name("fairlead.PathChanged")
@Label("Path Changed")
@Description("The lanes of an endpoint with endpoint.failover failed, and it goes on over its control connection")
@Category("Fairlead")
@StackTrace(false)
final class PathChangedEvent extends EndpointEvent {
    @Label("From")
    @Description("The path before")
    String from = "";

    @Label("To")
    @Description("The path from now on")
    String to = "";

    @Label("Cause")
    @Description("Why the lanes were left")
    String cause = "";

    @Label("Pause")
    @Description("Time from the failure until both sides had left")
    @Timespan(Timespan.NANOSECONDS)
    long pause;

    @Label("Replayed")
    @Description("Bytes of this side's lane that were sent again")
    @DataAmount
    long replayed;
}
