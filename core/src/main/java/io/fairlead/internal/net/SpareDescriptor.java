package io.fairlead.internal.net;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file descriptor that a listener reserves for when its process has none left: it frees this one, accepts a peer, and
 * sends it the refusal. Otherwise the peer would wait for its answer until its timeout.
 */
public final class SpareDescriptor {
    private static final Logger LOG = LoggerFactory.getLogger(SpareDescriptor.class);

    private @Nullable SocketChannel held;

    /** Reserves a descriptor again, if one is free. */
    public void hold() {
        if (held == null) {
            try {
                held = SocketChannel.open();
            } catch (IOException none) {
                LOG.debug("there is no spare descriptor for a listener", none);
            }
        }
    }

    /** Frees the descriptor; false if there is none. */
    public boolean tryRelease() {
        SocketChannel released = held;
        held = null;
        if (released != null) {
            SocketConnection.close(released);
        }
        return released != null;
    }
}
