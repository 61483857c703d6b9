package io.fairlead.internal.handshake;

import io.fairlead.spi.Selectable;

/** A handshake that is under way. */
public interface Handshake extends Selectable {
    /**
     * Looks at the clock; true when the handshake is over, in whatever way.
     *
     * @param gapNs how long this worker had not looked before, of which not all counts against the peer
     */
    boolean expireIfDue(long nowNs, long gapNs);

    /** Gives up and closes the connection. */
    void cancel();
}
