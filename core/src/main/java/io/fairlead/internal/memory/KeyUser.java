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

    /** The endpoint's number. */
    int id();

    /** The endpoint, in words that tell it from the endpoints of other workers too: each worker has its own numbers. */
    String distinctName();

    /** The endpoint, and in which state it is, for messages. */
    String description();

    /** Throws if the calling thread is not the endpoint's. */
    void checkThread();
}
