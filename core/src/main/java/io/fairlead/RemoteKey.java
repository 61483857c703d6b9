package io.fairlead;

import java.util.Set;

/**
 * A memory region of an endpoint's peer, made usable by {@link Endpoint#unpack(byte[])}. Belongs to the endpoint's worker's
 * thread and ends with the endpoint. Implemented by Fairlead only.
 */
public interface RemoteKey extends AutoCloseable {
    /**
     * The remote region's size; every operation is checked against it before it leaves.
     *
     * @return bytes
     */
    long length();

    /**
     * What this key allows.
     *
     * @return an immutable set
     */
    Set<AccessRight> rights();

    /**
     * Whether the owner has closed the region, as far as this side knows.
     *
     * @return true once the revocation has arrived here
     */
    boolean isRevoked();

    /** Frees what the key holds. It must not be used afterwards. Idempotent. */
    @Override
    void close();
}
