package io.fairlead.internal.net;

import io.fairlead.spi.Selectable;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of endpoints that have closed gracefully, until their peers have taken what was sent. A socket that is closed while
 * something of the peer is unread makes the kernel reset the connection, and drop what it has not sent yet. So these send the
 * end of the stream, read what the peer still says and throw it away, and are closed when the peer has hung up, or when its time is
 * over.
 */
public final class LingeringSockets {
    private static final Logger LOG = LoggerFactory.getLogger(LingeringSockets.class);
    private static final int DISCARD_BYTES = 64 << 10;
    /** A peer that never stops talking must not keep the worker here. */
    private static final int READS_MAX = 16;

    private final Selector selector;
    private final int max;
    private final long timeoutNs;
    /** The oldest first, which is the one whose time is over first. */
    private final ArrayDeque<LingeringSocket> sockets = new ArrayDeque<>();

    private @Nullable ByteBuffer discarded;

    /**
     * Creates an empty set.
     *
     * @param selector the worker's
     * @param max how many there may be; beyond that the oldest is closed
     * @param timeoutNs how long each may wait for its peer
     */
    public LingeringSockets(Selector selector, int max, long timeoutNs) {
        this.selector = selector;
        this.max = max;
        this.timeoutNs = timeoutNs;
    }

    /** Takes a connection on which all is written; closes it now or later. */
    public void add(LingeringConnection connection, long nowNs) {
        SelectionKey key = connection.channel().keyFor(selector);
        if (key == null || !key.isValid() || timeoutNs == 0) {
            endOutput(connection);
            connection.closeSocket();
            return;
        }
        if (sockets.size() == max) {
            sockets.removeFirst().giveUp("another closes, endpoints-max=" + max);
        }
        LingeringSocket added = new LingeringSocket(connection, nowNs + timeoutNs);
        sockets.add(added);
        key.attach(added);
        added.ready(key);
    }

    /** There is no time to try again. */
    private static void endOutput(LingeringConnection connection) {
        try {
            boolean _ = connection.tryEndOutput();
        } catch (Throwable gone) {
            LOG.debug("a peer left before the end of the stream", gone);
        }
    }

    /** How many there are. */
    public int size() {
        return sockets.size();
    }

    public boolean isEmpty() {
        return sockets.isEmpty();
    }

    /** Closes those whose time is over. */
    public void expire(long nowNs) {
        for (LingeringSocket oldest = sockets.peek();
                oldest != null && nowNs - oldest.deadlineNs >= 0;
                oldest = sockets.peek()) {
            sockets.removeFirst();
            oldest.giveUp("close.timeout=" + timeoutNs / 1_000_000 + " ms");
        }
    }

    /** Closes all, however much time they have left. */
    public void close() {
        for (LingeringSocket next = sockets.poll(); next != null; next = sockets.poll()) {
            next.giveUp("the worker's close");
        }
    }

    private ByteBuffer target() {
        ByteBuffer target = discarded;
        if (target == null) {
            target = ByteBuffer.allocateDirect(DISCARD_BYTES);
            discarded = target;
        }
        return target.clear();
    }

    private final class LingeringSocket implements Selectable {
        private final LingeringConnection connection;
        private final long deadlineNs;
        private boolean outputEnded;

        LingeringSocket(LingeringConnection connection, long deadlineNs) {
            this.connection = connection;
            this.deadlineNs = deadlineNs;
        }

        @Override
        public void ready(SelectionKey key) {
            if (!connection.channel().isOpen()) {
                return;
            }
            if (isOver()) {
                sockets.remove(this);
                connection.closeSocket();
            } else {
                key.interestOps(outputEnded ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
        }

        /** Says and reads what there is; true if the peer has hung up. */
        private boolean isOver() {
            try {
                outputEnded = outputEnded || connection.tryEndOutput();
                // Below any protection: what the peer still says is of no interest.
                int count = 1;
                for (int i = 0; i < READS_MAX && count > 0; i++) {
                    count = connection.channel().read(target());
                }
                return count < 0;
            } catch (Throwable gone) {
                LOG.debug("a peer left, or its socket cannot be used", gone);
                return true;
            }
        }

        /** Closes a socket whose peer has not hung up; with nothing unread the kernel still sends what it has. */
        private void giveUp(String limit) {
            if (!isOver()) {
                LOG.debug(
                        "a peer did not hang up after the goodbye; what it has not read may be lost; limit: {}", limit);
            }
            connection.closeSocket();
        }
    }
}
