package io.fairlead.internal.events;

import io.fairlead.PeerIdentity;
import java.net.InetSocketAddress;

/** The endpoint of an event or a log line. */
public interface EndpointSubject {
    /** Its number and, once known, its peer's name. */
    String label();

    /** The address of its peer. */
    InetSocketAddress remoteAddress();

    /** The authenticated identity of its peer; anonymous before that. */
    PeerIdentity identity();

    /** The transport's name; empty until one is chosen. */
    String transportName();
}
