package io.fairlead.internal.events;

import jdk.jfr.Event;
import jdk.jfr.Label;

/** What every event about an endpoint tells. */
abstract class EndpointEvent extends Event {
    @Label("Node")
    String node = "";

    @Label("Endpoint")
    String endpoint = "";

    @Label("Transport")
    String transport = "";
}
