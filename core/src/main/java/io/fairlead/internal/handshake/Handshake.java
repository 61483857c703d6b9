package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
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

    /** Whether the endpoint is connected, and ends the handshake itself. */
    default boolean isLeftToEndpoint() {
        return false;
    }

    /** Gives up because the worker closes, unless that is left to the endpoint. */
    default void close() {
        if (!isLeftToEndpoint()) {
            cancel();
        }
    }

    /** The endpoint's transport has connected it. Does nothing unless the handshake waits for that. */
    default void transportReady() {}

    /**
     * Turns to the next path, since the transport cannot connect the endpoint.
     *
     * @return false if it is too late for another path, or the cause is a broken rule
     */
    default boolean tryNextPath(FairleadException cause) {
        return false;
    }
}
