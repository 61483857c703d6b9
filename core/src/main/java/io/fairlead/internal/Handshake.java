package io.fairlead.internal;

import io.fairlead.spi.Selectable;

/** A handshake that is under way. */
interface Handshake extends Selectable {
    /** Looks at the clock; true when the handshake is over, in whatever way. */
    boolean expired(long nowNs);

    /** Gives up and closes the connection. */
    void cancel();
}
