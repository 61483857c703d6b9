package io.fairlead.internal.handshake;

import io.fairlead.spi.Selectable;

/** A handshake that is under way. */
public interface Handshake extends Selectable {
    /**
     * Looks at the clock; true when the handshake is over, in whatever way.
     *
     * @param excusedNs how long this worker stood still before, which is nobody's fault but its own
     */
    boolean expireIfDue(long nowNs, long excusedNs);

    /** Gives up and closes the connection. */
    void cancel();
}
