package io.fairlead.internal.handshake;

import io.fairlead.FairleadException;
import io.fairlead.spi.Selectable;

/** A handshake in progress. */
public interface Handshake extends Selectable {
    /**
     * Checks the deadline; true when the handshake has ended, in whatever way.
     *
     * @param gapNs the time since this worker's previous check, only part of which counts against the peer
     */
    boolean expireIfDue(long nowNs, long gapNs);

    /** Cancels the handshake and closes the connection. */
    void cancel();

    /** Whether the endpoint is connected and ends the handshake itself. */
    default boolean isLeftToEndpoint() {
        return false;
    }

    /** Cancels the handshake because the worker closes, unless the endpoint does that. */
    default void close() {
        if (!isLeftToEndpoint()) {
            cancel();
        }
    }

    /** The endpoint's transport has connected it. Does nothing unless the handshake waits for that. */
    default void transportReady() {}

    /**
     * Switches to the next path, because the transport cannot connect the endpoint.
     *
     * @return false if it is too late for another path, or the cause is a broken rule
     */
    default boolean tryNextPath(FairleadException cause) {
        return false;
    }
}
