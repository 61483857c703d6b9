package io.fairlead.internal.net;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file descriptor that a listener holds for when its process has none left: it gives this one up, accepts a peer, and tells it why it is refused.
 * Otherwise the peer would wait for its answer until its time is over.
 */
public final class SpareDescriptor {
    private static final Logger LOG = LoggerFactory.getLogger(SpareDescriptor.class);

    private @Nullable SocketChannel held;

    /** Has one again, if there is one to be had. */
    public void hold() {
        if (held == null) {
            try {
                held = SocketChannel.open();
            } catch (IOException none) {
                LOG.debug("there is no spare descriptor for a listener", none);
            }
        }
    }

    /** Gives it up; false if there is none. */
    public boolean tryRelease() {
        SocketChannel released = held;
        held = null;
        if (released != null) {
            SocketConnection.close(released);
        }
        return released != null;
    }
}
