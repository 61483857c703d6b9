package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A connection broke, and goes on over another socket. */
@Name("fairlead.ConnectionResumed")
@Label("Connection Resumed")
@Description(
        "The TCP connection of an endpoint with endpoint.failover broke, and the endpoint goes on over another one")
@Category("Fairlead")
@StackTrace(false)
final class ConnectionResumedEvent extends EndpointEvent {
    @Label("Cause")
    @Description("Why the connection broke")
    String cause = "";

    @Label("Pause")
    @Description("Time without a connection")
    @Timespan(Timespan.NANOSECONDS)
    long pause;

    @Label("Replayed")
    @Description("Bytes sent by this side that were sent again")
    @DataAmount
    long replayed;
}
