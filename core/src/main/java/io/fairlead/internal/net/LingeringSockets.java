package io.fairlead.internal.net;

import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of gracefully closed endpoints, until their peers have received what was sent. If a socket is closed with
 * unread data of the peer, the kernel resets the connection and drops unsent data. These sockets therefore end their
 * output, and read and discard the peer's data. They are closed when the peer has closed its side, or at the timeout.
 */
public final class LingeringSockets {
    private static final Logger LOG = LoggerFactory.getLogger(LingeringSockets.class);
    private static final int DISCARD_BYTES = 64 << 10;
    /** A peer that sends continuously must not occupy the worker. */
    private static final int READS_MAX = 16;

    private final Selector selector;
    private final int max;
    private final long timeoutNs;
    /** Oldest first, whose timeout is next. */
    private final ArrayDeque<LingeringSocket> sockets = new ArrayDeque<>();

    private @Nullable ByteBuffer discarded;

    /**
     * Creates an empty set.
     *
     * @param selector the worker's selector
     * @param max maximum number of sockets; above it the oldest is closed
     * @param timeoutNs the timeout of each
     */
    public LingeringSockets(Selector selector, int max, long timeoutNs) {
        this.selector = selector;
        this.max = max;
        this.timeoutNs = timeoutNs;
    }

    /** Takes a connection whose output is written; closes it now or later. */
    public void add(LingeringConnection connection, long nowNs) {
        if (timeoutNs == 0 || !connection.mayLinger(selector)) {
            endOutput(connection);
            connection.closeSocket();
            return;
        }
        if (sockets.size() == max) {
            sockets.removeFirst().giveUp("another closes, endpoints-max=" + max);
        }
        LingeringSocket added = new LingeringSocket(connection, nowNs + timeoutNs);
        sockets.add(added);
        try {
            connection.serve(selector, added);
        } catch (IOException closed) {
            LOG.debug("a socket was closed before its peer has received everything", closed);
        }
        added.advance();
    }

    /** There is no time for a retry. */
    private static void endOutput(LingeringConnection connection) {
        try {
            boolean _ = connection.tryEndOutput();
        } catch (Throwable gone) {
            LOG.debug("a peer left before the end of the stream", gone);
        }
    }

    /** The number of sockets. */
    public int size() {
        return sockets.size();
    }

    public boolean isEmpty() {
        return sockets.isEmpty();
    }

    /** Closes the sockets that have timed out, and forgets those that were closed otherwise. */
    public void expire(long nowNs) {
        if (!sockets.isEmpty()) {
            sockets.removeIf(socket -> !socket.connection.mayLinger(selector));
        }
        for (LingeringSocket oldest = sockets.peek();
                oldest != null && nowNs - oldest.deadlineNs >= 0;
                oldest = sockets.peek()) {
            sockets.removeFirst();
            oldest.giveUp("close.timeout=" + timeoutNs / 1_000_000 + " ms");
        }
    }

    /** Closes all, before their timeouts. */
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
            key.interestOps(SelectionKey.OP_READ);
            advance();
        }

        void advance() {
            if (!connection.mayLinger(selector)) {
                return;
            }
            if (isOver()) {
                sockets.remove(this);
                connection.closeSocket();
            } else if (!outputEnded) {
                connection.awaitWritable(selector);
            }
        }

        /** Ends the output and reads what has arrived; true if the peer has closed its side. */
        private boolean isOver() {
            try {
                outputEnded = outputEnded || connection.tryEndOutput();
                // Below any protection, because the peer's data is discarded.
                int count = 1;
                for (int i = 0; i < READS_MAX && count > 0; i++) {
                    count = connection.discard(target());
                }
                outputEnded = outputEnded || (count == 0 && connection.tryEndOutput());
                return count < 0;
            } catch (Throwable gone) {
                LOG.debug("a peer left, or its socket cannot be used", gone);
                return true;
            }
        }

        /** Closes a socket whose peer has not closed its side; with nothing unread the kernel still sends its data. */
        private void giveUp(String limit) {
            if (!isOver()) {
                LOG.debug("a peer did not close after the disconnect; unread data may be lost; limit: {}", limit);
            }
            connection.closeSocket();
        }
    }
}
