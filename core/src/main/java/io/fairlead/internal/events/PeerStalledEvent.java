package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A peer has sent something again after a stall longer than the liveness timeout. */
@Name("fairlead.PeerStalled")
@Label("Peer Stalled")
@Description("A peer sent data again after an idle time beyond liveness.timeout, while its host answered")
@Category("Fairlead")
@StackTrace(false)
final class PeerStalledEvent extends EndpointEvent {
    @Label("Silence")
    @Description("Time without data from the peer")
    @Timespan(Timespan.NANOSECONDS)
    long silence;
}
