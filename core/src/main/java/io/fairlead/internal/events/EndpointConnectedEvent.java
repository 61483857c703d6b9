package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A successful handshake; the event's duration is the handshake's. */
@Name("fairlead.EndpointConnected")
@Label("Endpoint Connected")
@Description("A handshake from this side's first step to the connection")
@Category("Fairlead")
@StackTrace(false)
public final class EndpointConnectedEvent extends EndpointEvent {
    /** Queried for whether a recording is active; never committed. */
    static final EndpointConnectedEvent WATCH = new EndpointConnectedEvent();

    @Label("Peer Address")
    String address = "";

    @Label("Peer Identity")
    String identity = "";
}
