package io.fairlead.internal.memory;

import io.fairlead.spi.TransportEndpoint;
import org.jspecify.annotations.Nullable;

/** The endpoint that keys are unpacked on, and whose peer has made them. */
public interface KeyUser {
    /** The transport's part while the endpoint takes operations. */
    @Nullable TransportEndpoint transport();

    /** The name of the endpoint's transport. */
    String transportName();

    /** The identity of the peer's context. */
    long peerIncarnation();

    /** What the peer signs its remote keys with. */
    KeySecret peerSecret();

    /** A key of the connection for one purpose, 32 bytes. */
    byte[] pathKey(String label);

    /** Whether this side asked for the connection. */
    boolean isConnector();

    /** The identity of this side's context. */
    long ownIncarnation();

    /** The key of a region of this context, for the peer alone. */
    byte[] issue(long regionId);

    /** The endpoint's number. */
    int id();

    /** The endpoint, in words that tell it from the endpoints of other workers too: each worker has its own numbers. */
    String distinctName();

    /** The endpoint, and in which state it is, for messages. */
    String description();

    /** Throws if the calling thread is not the endpoint's. */
    void checkThread();
}
