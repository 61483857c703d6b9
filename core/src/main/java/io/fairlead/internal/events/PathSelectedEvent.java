package io.fairlead.internal.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The path of an endpoint's data, and the reason. */
@Name("fairlead.PathSelected")
@Label("Path Selected")
@Description("The way that an endpoint's data takes, and why")
@Category("Fairlead")
@StackTrace(false)
final class PathSelectedEvent extends EndpointEvent {
    @Label("Path Class")
    String pathClass = "";

    @Label("Device")
    String device = "";

    @Label("Cause")
    String cause = "";

    @Label("Reason")
    String reason = "";

    @Label("Fallback")
    @Description("The pair seems to be capable of more than TCP, which it got")
    boolean fallback;
}
