package io.fairlead.internal.access;

import io.fairlead.PeerIdentity;
import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** The place of one connection among those that its peer may have. Thread-safe. */
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

    /** Gives the place back. Idempotent. */
    @Override
    public void close() {
        if (held.compareAndSet(true, false)) {
            limits.disconnect(peer, source);
        }
    }
}
