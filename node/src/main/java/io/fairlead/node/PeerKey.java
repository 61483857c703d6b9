package io.fairlead.node;

import io.fairlead.AccessRight;
import java.util.Set;

/**
 * A memory region of a peer, made usable by {@link Peer#unpack(byte[])}. Thread-safe. Ends with the connection that it was
 * unpacked on: later operations with it fail with {@code STALE_KEY}. Implemented by Fairlead only.
 */
public interface PeerKey extends AutoCloseable {
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
     * The peer whose memory it names.
     *
     * @return never changes
     */
    Peer peer();

    /** Frees what the key holds, after the operations that were called before. It must not be used afterwards. Idempotent, does not wait. */
    @Override
    void close();
}
