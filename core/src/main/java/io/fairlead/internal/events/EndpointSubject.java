package io.fairlead.internal.events;

import io.fairlead.PeerIdentity;
import java.net.InetSocketAddress;

/** The endpoint that an event or a line of the log is about. */
public interface EndpointSubject {
    /** Its number and, once it is known, its peer's name. */
    String label();

    /** Where its peer is. */
    InetSocketAddress remoteAddress();

    /** Who its peer has proved to be; anonymous until it has. */
    PeerIdentity identity();

    /** The transport's name; empty until one is chosen. */
    String transportName();
}
