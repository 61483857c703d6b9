package io.fairlead.internal.memory;

import io.fairlead.spi.TransportEndpoint;
import org.jspecify.annotations.Nullable;

/** The endpoint that unpacks keys of its peer. */
public interface KeyUser {
    /** The transport's endpoint while the endpoint accepts operations. */
    @Nullable TransportEndpoint transport();

    /** The name of the endpoint's transport, also while its data takes another path. */
    String transportName();

    /** The identity of the peer's context. */
    long peerIncarnation();

    /** The secret that signs the peer's remote keys. */
    KeySecret peerSecret();

    /** A key of the connection for one purpose, 32 bytes. */
    byte[] pathKey(String label);

    /** Whether this side opened the connection. */
    boolean isConnector();

    /** The identity of this side's context. */
    long ownIncarnation();

    /** The key of a region of this context, for the peer only. */
    byte[] issue(long regionId);

    /** The endpoint's number. */
    int id();

    /** The endpoint, as text that is unique across workers: each worker has its own numbers. */
    String distinctName();

    /** The endpoint and its state, for messages. */
    String description();

    /** Throws if the calling thread is not the endpoint's. */
    void checkThread();
}
