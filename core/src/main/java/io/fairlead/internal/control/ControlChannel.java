package io.fairlead.internal.control;

import io.fairlead.FairleadException;
import io.fairlead.spi.Connection;
import io.fairlead.spi.ControlCarrier;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The control frames of one endpoint. They travel inside the transport's stream if the transport took the connection,
 * otherwise on a link of the core.
 */
public final class ControlChannel {
    /** Closed regions beyond this number are refused only when they are used. */
    private static final int EARLY_MAX = 1024;

    private final ControlUser user;
    private final ControlFrame.Handler handler;
    /** The worker's buffer, used during a call. */
    private final ByteBuffer frame;

    private @Nullable ControlCarrier transport;
    private @Nullable ControlLink link;
    /** Regions that were closed when the endpoint was connected and the handshake still owned the connection. */
    private final ArrayList<Long> early = new ArrayList<>(0);

    public ControlChannel(ControlUser user, ControlFrame.Handler handler, ByteBuffer frame) {
        this.user = user;
        this.handler = handler;
        this.frame = frame;
    }

    /** The transport took the connection. */
    public void attach(ControlCarrier carrying) {
        transport = carrying;
    }

    /** The connection stays with the core. */
    public void attach(Connection connection, Selector selector) {
        link = new ControlLink(user, handler, connection, selector);
        List<Long> waiting = List.copyOf(early);
        early.clear();
        waiting.forEach(this::revoke);
    }

    /** Whether control frames travel beside the data, so that one may overtake the other. */
    public boolean isSeparate() {
        return link != null;
    }

    /** Reads everything that the peer has sent so far. */
    public void read() {
        if (link != null) {
            link.readAll();
        }
    }

    public boolean isDrained() {
        return link == null || link.isDrained();
    }

    /** Ends the channel, and drops all references to the connection. Idempotent. */
    public void close() {
        ControlLink closed = link;
        link = null;
        transport = null;
        if (closed != null) {
            closed.close();
        }
    }

    /** A frame has arrived. */
    public void arrived(ByteBuffer bytes) {
        user.controlReceived();
        try {
            ControlFrame.dispatch(bytes, handler);
        } catch (FairleadException violation) {
            user.fail(violation);
        }
    }

    boolean ping(long sequence) {
        frame.clear();
        ControlFrame.ping(frame, sequence);
        return send();
    }

    public boolean pong(long sequence) {
        frame.clear();
        ControlFrame.pong(frame, sequence);
        return send();
    }

    public boolean credit(long bytes) {
        frame.clear();
        ControlFrame.credit(frame, bytes);
        return send();
    }

    public boolean disconnect() {
        frame.clear();
        ControlFrame.disconnect(frame);
        return send();
    }

    public boolean revoke(long regionId) {
        if (link == null && transport == null) {
            return early.size() < EARLY_MAX && early.add(regionId);
        }
        frame.clear();
        ControlFrame.revoke(frame, regionId);
        return send();
    }

    /** False if the connection is full or not attached yet: it must be retried. */
    public boolean withdraw(long regionId) {
        frame.clear();
        ControlFrame.withdraw(frame, regionId);
        return send();
    }

    public boolean wake() {
        frame.clear();
        ControlFrame.wake(frame);
        return send();
    }

    /** Sends bytes of the transport that left the connection to the core. */
    public boolean lane(ByteBuffer bytes) {
        return link != null && link.sendLane(bytes);
    }

    /** False if the connection is full. */
    private boolean send() {
        frame.flip();
        if (link != null) {
            return link.send(frame);
        }
        return transport != null && transport.sendControl(frame);
    }
}
