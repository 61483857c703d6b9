package io.fairlead.internal.control;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.Connection;
import io.fairlead.spi.Selectable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;

/** The control connection of an endpoint whose transport uses another connection for its data. */
final class ControlLink implements Selectable {
    private static final int BUFFER_LENGTH = 1024;
    /** For frames of lanes: once there has been one. */
    private static final int LANE_BUFFER_LENGTH = 2 * ControlFraming.LANE_MAX_LENGTH;
    /** A peer that sends continuously must not occupy the worker. */
    private static final int READS_MAX = 64;

    private final ControlUser user;
    private final ControlFrame.Handler handler;
    private final Connection connection;
    private final Selector selector;
    private ByteBuffer incoming = ByteBuffer.allocateDirect(BUFFER_LENGTH);
    private ByteBuffer outgoing = ByteBuffer.allocateDirect(BUFFER_LENGTH);
    /** A turn was requested from the user. */
    private boolean asked;

    /** Why writing is no longer possible. */
    private @Nullable IOException broken;

    private boolean closed;

    ControlLink(ControlUser user, ControlFrame.Handler handler, Connection connection, Selector selector) {
        this.user = user;
        this.handler = handler;
        this.connection = connection;
        this.selector = selector;
        serve();
        askForTurn();
    }

    private void serve() {
        try {
            connection.serve(selector, this);
        } catch (IOException failure) {
            broken = failure;
            readSoon();
        }
    }

    /** The selector does not signal buffered bytes. */
    private void askForTurn() {
        if (connection.hasBuffered()) {
            readSoon();
        }
    }

    private void readSoon() {
        if (!asked && !closed) {
            asked = true;
            user.readSoon();
        }
    }

    /** Sends a frame; false if the connection is full. */
    boolean send(ByteBuffer frame) {
        if (closed || broken != null || outgoing.remaining() < ControlFraming.MAX_LENGTH) {
            return false;
        }
        ControlFraming.wrap(frame, outgoing);
        flush();
        return true;
    }

    /** Sends a transport's bytes; false if the connection is full. */
    boolean sendLane(ByteBuffer bytes) {
        if (closed || broken != null) {
            return false;
        }
        if (outgoing.capacity() < LANE_BUFFER_LENGTH) {
            outgoing = longer(outgoing);
        }
        if (outgoing.remaining() < ControlFraming.LANE_MAX_LENGTH) {
            return false;
        }
        ControlFraming.wrapLane(bytes, outgoing);
        flush();
        return true;
    }

    private static ByteBuffer longer(ByteBuffer buffer) {
        return ByteBuffer.allocateDirect(LANE_BUFFER_LENGTH).put(buffer.flip());
    }

    /** Whether the peer gets what was sent, also if the endpoint's data path is closed now. */
    boolean isDrained() {
        return isWritten() && (closed || connection.isDelivered());
    }

    private boolean isWritten() {
        return outgoing.position() == 0;
    }

    @Override
    public void ready(SelectionKey ready) {
        if (closed) {
            return;
        }
        try {
            if (ready.isWritable()) {
                ready.interestOps(SelectionKey.OP_READ);
                flush();
            }
            if (!closed && ready.isValid() && ready.isReadable()) {
                read();
                askForTurn();
            }
        } catch (Throwable thrown) {
            user.failThrown(thrown);
        }
    }

    /** Reads the received bytes, without waiting for the selector. */
    void readAll() {
        asked = false;
        int count = 1;
        for (int i = 0; i < READS_MAX && count > 0 && !closed; i++) {
            count = read();
        }
        IOException failure = broken;
        if (failure == null || closed) {
            askForTurn();
        } else if (count > 0) {
            readSoon();
        } else {
            failLost(failure);
        }
    }

    private int read() {
        try {
            int count = connection.read(incoming);
            if (count > 0) {
                user.controlReceived();
                incoming.flip();
                ControlFraming.dispatch(incoming, handler);
                incoming.compact();
                if (!incoming.hasRemaining()) {
                    // The frame is one of a lane: no other is as long as the buffer.
                    incoming = longer(incoming);
                }
            } else if (count < 0) {
                user.ended();
            }
            return count;
        } catch (IOException failure) {
            failLost(failure);
        } catch (FairleadException violation) {
            user.fail(violation);
        }
        return -1;
    }

    private void flush() {
        try {
            outgoing.flip();
            connection.write(outgoing);
            outgoing.compact();
            if (!isWritten()) {
                connection.awaitWritable(selector);
            }
        } catch (IOException failure) {
            outgoing.clear();
            // The peer may have sent a disconnect before it closed the connection; it must still be read.
            broken = failure;
            readSoon();
        }
    }

    private void failLost(IOException failure) {
        user.lost(new FairleadException(
                Reason.PEER_LOST,
                "control channel broke: endpoint=" + user.label() + ", cause: " + failure.getMessage(),
                failure));
    }

    void close() {
        closed = true;
        connection.close();
    }
}
