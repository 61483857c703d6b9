package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** An endpoint failed after it had been connected. */
@Name("fairlead.PeerFailed")
@Label("Peer Failed")
@Description("An endpoint failed after it had been connected")
@Category("Fairlead")
@StackTrace(false)
final class PeerFailedEvent extends EndpointEvent {
    @Label("Cause")
    String cause = "";

    @Label("Message")
    String message = "";

    @Label("Silence")
    @Description("Time without data from the peer")
    @Timespan(Timespan.NANOSECONDS)
    long silence;
}
