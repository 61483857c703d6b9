package io.fairlead.internal.events;

import jdk.jfr.Event;
import jdk.jfr.Label;

/** The common fields of all events about endpoints. */
abstract class EndpointEvent extends Event {
    @Label("Node")
    String node = "";

    @Label("Endpoint")
    String endpoint = "";

    @Label("Transport")
    String transport = "";
}
