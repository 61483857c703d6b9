package io.fairlead.internal.events;

import java.net.InetSocketAddress;

/** The endpoint that an event or a line of the log is about. */
public interface EndpointSubject {
    /** Its number and, once it is known, its peer's name. */
    String label();

    /** Where its peer is. */
    InetSocketAddress remoteAddress();

    /** The transport's name; empty until one is chosen. */
    String transportName();
}
