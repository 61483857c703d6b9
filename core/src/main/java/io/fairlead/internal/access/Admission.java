package io.fairlead.internal.access;

import io.fairlead.PeerIdentity;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** The slot of one connection within the limits of its peer. Thread-safe. */
public final class Admission implements AutoCloseable {
    private final PeerLimits limits;
    private final PeerIdentity peer;
    private final InetAddress source;
    private final AtomicBoolean held = new AtomicBoolean(true);

    Admission(PeerLimits limits, PeerIdentity peer, InetAddress source) {
        this.limits = limits;
        this.peer = peer;
        this.source = source;
    }

    /** Frees the slot. Idempotent. */
    @Override
    public void close() {
        if (held.compareAndSet(true, false)) {
            limits.disconnect(peer, source);
        }
    }
}
