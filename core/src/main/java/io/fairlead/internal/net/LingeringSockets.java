package io.fairlead.internal.net;

import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
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

    /** Takes a socket on which all is written; closes it now or later. */
    public void add(SocketChannel channel, long nowNs) {
        SelectionKey key = channel.keyFor(selector);
        try {
            channel.shutdownOutput();
        } catch (IOException gone) {
            key = null;
        }
        if (key == null || !key.isValid() || timeoutNs == 0) {
            close(channel);
            return;
        }
        if (sockets.size() == max) {
            sockets.removeFirst().giveUp("another closes, endpoints-max=" + max);
        }
        LingeringSocket added = new LingeringSocket(channel, nowNs + timeoutNs);
        sockets.add(added);
        key.attach(added);
        key.interestOps(SelectionKey.OP_READ);
        added.discard();
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

    private ByteBuffer target() {
        ByteBuffer target = discarded;
        if (target == null) {
            target = ByteBuffer.allocateDirect(DISCARD_BYTES);
            discarded = target;
        }
        return target.clear();
    }

    private static void close(SocketChannel channel) {
        new SocketConnection(channel).close();
    }

    private final class LingeringSocket implements Selectable {
        private final SocketChannel channel;
        private final long deadlineNs;

        LingeringSocket(SocketChannel channel, long deadlineNs) {
            this.channel = channel;
            this.deadlineNs = deadlineNs;
        }

        @Override
        public void ready(SelectionKey key) {
            discard();
        }

        private void discard() {
            if (channel.isOpen() && isAtEnd()) {
                sockets.remove(this);
                close(channel);
            }
        }

        /** Reads what is here; true if the peer has hung up. */
        private boolean isAtEnd() {
            try {
                int count = 1;
                for (int i = 0; i < READS_MAX && count > 0; i++) {
                    count = channel.read(target());
                }
                return count < 0;
            } catch (IOException reset) {
                return true;
            }
        }

        /** Closes a socket whose peer has not hung up; with nothing unread the kernel still sends what it has. */
        private void giveUp(String limit) {
            if (!isAtEnd()) {
                LOG.debug(
                        "a peer did not hang up after the goodbye; what it has not read may be lost; limit: {}", limit);
            }
            close(channel);
        }
    }
}
