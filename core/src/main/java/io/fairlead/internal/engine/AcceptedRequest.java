package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.handshake.Answer;
import io.fairlead.internal.handshake.Handshake;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.handshake.HandshakeFailure;
import io.fairlead.internal.handshake.HandshakeHost;
import io.fairlead.internal.handshake.ServerHandshake;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.net.SocketConnection;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/** A connection request that a worker has accepted, until the worker has capacity for its handshake. */
final class AcceptedRequest implements Handshake {
    private final CoreConnectionRequest request;
    private final SocketConnection peer;
    private final HandshakeEndpoint endpoint;
    private final long limitNs;
    private long deadlineNs;
    private boolean ended;

    AcceptedRequest(
            CoreConnectionRequest request,
            SocketConnection peer,
            HandshakeEndpoint endpoint,
            long nowNs,
            long limitNs) {
        this.request = request;
        this.peer = peer;
        this.endpoint = endpoint;
        this.limitNs = limitNs;
        this.deadlineNs = nowNs + limitNs;
    }

    boolean isOver() {
        return ended;
    }

    /** Begins the handshake; null if the socket is unusable. */
    @Nullable ServerHandshake begin(HandshakeHost worker) {
        ended = true;
        request.leave();
        try {
            ServerHandshake handshake = new ServerHandshake(worker, new Answer.Connect(endpoint), peer);
            endpoint.start(handshake);
            return handshake;
        } catch (Throwable failure) {
            SocketConnection.close(peer.channel());
            endpoint.fail(
                    failure instanceof IOException broken
                            ? new FairleadException(
                                    Reason.PEER_LOST,
                                    "a handshake could not begin: peer=" + request.remoteAddress() + ", cause: "
                                            + broken.getMessage(),
                                    broken)
                            : HandshakeFailure.of(request.remoteAddress(), failure));
            return null;
        }
    }

    @Override
    public void ready(SelectionKey key) {
        throw new IllegalStateException("no selector knows this connection: peer=" + request.remoteAddress());
    }

    @Override
    public boolean expireIfDue(long nowNs, long gapNs) {
        deadlineNs += TurnGap.excusedNs(gapNs, limitNs);
        if (!ended && nowNs - deadlineNs > 0) {
            cancel();
            endpoint.fail(new FairleadException(
                    Reason.TIMED_OUT,
                    "no room for the handshake in time: peer=" + request.remoteAddress() + ", connect.timeout="
                            + limitNs / 1_000_000 + " ms; raise listener.pending-max or accept on more workers"));
        }
        return ended;
    }

    @Override
    public void cancel() {
        if (!ended) {
            ended = true;
            request.leave();
            SocketConnection.close(peer.channel());
        }
    }
}
