package io.fairlead.internal;

import io.fairlead.FairleadException;
import io.fairlead.internal.wire.ControlFrame;
import io.fairlead.spi.Connection;
import io.fairlead.spi.TransportEndpoint;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The control frames of one endpoint, on whichever road they travel: inside the transport's own stream where it took the
 * connection, on a link of the core's where it did not.
 */
final class ControlChannel {
    private final EndpointLife life;
    private final ControlFrame.Handler handler;
    /** The worker's, for the length of a call. */
    private final ByteBuffer frame;

    private @Nullable TransportEndpoint transport;
    private @Nullable ControlLink link;

    ControlChannel(EndpointLife life, ControlFrame.Handler handler, ByteBuffer frame) {
        this.life = life;
        this.handler = handler;
        this.frame = frame;
    }

    /** The transport took the connection. */
    void over(TransportEndpoint carrying) {
        transport = carrying;
    }

    /** The connection stays with the core. */
    void over(Connection connection, CoreWorker worker) {
        link = new ControlLink(life, this, connection, worker.selector());
    }

    /** Whether control frames travel beside the data, so that one may overtake the other. */
    boolean apart() {
        return link != null;
    }

    /** Takes in what the peer has said so far. */
    void read() {
        if (link != null) {
            link.readAll();
        }
    }

    boolean drained() {
        return link == null || link.drained();
    }

    void close() {
        if (link != null) {
            link.close();
        }
    }

    /** A frame has arrived. */
    void arrived(ByteBuffer bytes) {
        life.heard();
        try {
            ControlFrame.dispatch(bytes, handler);
        } catch (FairleadException violation) {
            life.fail(violation);
        }
    }

    ControlFrame.Handler handler() {
        return handler;
    }

    boolean ping(long sequence) {
        frame.clear();
        ControlFrame.ping(frame, sequence);
        return send();
    }

    boolean pong(long sequence) {
        frame.clear();
        ControlFrame.pong(frame, sequence);
        return send();
    }

    boolean credit(long bytes) {
        frame.clear();
        ControlFrame.credit(frame, bytes);
        return send();
    }

    boolean goodbye() {
        frame.clear();
        ControlFrame.goodbye(frame);
        return send();
    }

    boolean revoke(long regionId) {
        frame.clear();
        ControlFrame.revoke(frame, regionId);
        return send();
    }

    boolean wake() {
        frame.clear();
        ControlFrame.wake(frame);
        return send();
    }

    /** False if there is no room now. */
    private boolean send() {
        frame.flip();
        if (link != null) {
            return link.send(frame);
        }
        return transport != null && transport.sendControl(frame);
    }
}
