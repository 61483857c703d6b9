package io.fairlead.internal.engine;

import io.fairlead.ConnectionRequest;
import io.fairlead.Context;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.internal.handshake.Answer;
import io.fairlead.internal.liveness.TurnGap;
import io.fairlead.internal.net.SocketConnection;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * A connection whose socket has no owner yet: the thread that moves the request out of its first state owns it. A
 * worker that accepts takes the socket. Otherwise it stays with the listener's worker, which sends the refusal to the
 * peer.
 */
final class CoreConnectionRequest implements ConnectionRequest {
    private enum State {
        OPEN,
        /** A worker owns it, and has not begun the handshake. */
        ACCEPTED,
        /** The handshake has begun, or is no longer wanted. */
        BEGUN,
        REJECTED,
        TIMED_OUT,
        /** The listener was closed. */
        CLOSED
    }

    /**
     * The state of a request.
     *
     * @param state decides the owner of the socket
     * @param refusal the refusal that is sent to the peer, if it is refused
     */
    private record Standing(State state, Optional<Answer.Refuse> refusal) {
        Standing(State state) {
            this(state, Optional.empty());
        }

        Standing(State state, Reason reason, String message) {
            this(state, Optional.of(new Answer.Refuse(reason, message)));
        }
    }

    private static final Standing OPEN = new Standing(State.OPEN);
    private static final Standing ACCEPTED = new Standing(State.ACCEPTED);
    private static final Standing BEGUN = new Standing(State.BEGUN);
    private static final Standing CLOSED = new Standing(
            State.CLOSED,
            Reason.CONNECTION_REFUSED,
            "the listener was closed before the connection request was answered");

    private final Context context;
    private final InetSocketAddress listener;
    private final SocketConnection peer;
    private final InetSocketAddress remoteAddress;
    private final long limitNs;
    /** Notifies the listener's worker of a rejection. */
    private final Runnable rejected;

    private volatile Standing standing = OPEN;
    /** On the clock of the listener's worker, which excludes its own stalls; only for its thread. */
    private long deadlineNs;

    CoreConnectionRequest(
            Context context,
            InetSocketAddress listener,
            SocketConnection peer,
            InetSocketAddress remoteAddress,
            long nowNs,
            long limitNs,
            Runnable rejected) {
        this.context = context;
        this.listener = listener;
        this.peer = peer;
        this.remoteAddress = remoteAddress;
        this.deadlineNs = nowNs + limitNs;
        this.limitNs = limitNs;
        this.rejected = rejected;
    }

    /** The engine's object of a request, which must belong to the context. */
    static CoreConnectionRequest of(Context context, ConnectionRequest request) {
        if (request instanceof CoreConnectionRequest known && known.context.equals(context)) {
            return known;
        }
        throw new IllegalArgumentException("connection request is of another context: peer=" + request.remoteAddress()
                + "; accept it on a worker of the context that listens");
    }

    // On any thread.

    @Override
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public void reject(Reason reason, String message) {
        Objects.requireNonNull(reason, "reason");
        Objects.requireNonNull(message, "message");
        if (settle(new Standing(State.REJECTED, reason, message)) == State.OPEN) {
            rejected.run();
        }
    }

    boolean isOpen() {
        return standing.state == State.OPEN;
    }

    /** Moves an open request on, once; returns its previous state. */
    private synchronized State settle(Standing next) {
        State before = standing.state;
        if (before == State.OPEN) {
            standing = next;
        }
        return before;
    }

    /** The caller accepts and owns the socket from now on. */
    SocketConnection take() {
        State before = settle(ACCEPTED);
        return switch (before) {
            case OPEN -> peer;
            case ACCEPTED, BEGUN, REJECTED ->
                throw new IllegalStateException("connection request is answered already: peer=" + remoteAddress
                        + ", answer=" + (before == State.REJECTED ? "rejected" : "accepted") + "; answer each once");
            case TIMED_OUT ->
                throw new FairleadException(
                        Reason.TIMED_OUT,
                        "connection request was not answered in time: peer=" + remoteAddress + ", connect.timeout="
                                + limitNs / 1_000_000 + " ms; answer it sooner");
            case CLOSED ->
                throw new FairleadException(
                        Reason.CLOSED,
                        "listener was closed before the connection request was answered: peer=" + remoteAddress
                                + ", listener=" + listener + "; accept requests before closing their listener");
        };
    }

    /** The acceptor has begun the handshake, or given it up: the listener's handshake slot is free. */
    synchronized void leave() {
        standing = BEGUN;
    }

    // On the thread of the listener's worker.

    boolean isOf(InetSocketAddress address) {
        return listener.equals(address);
    }

    /** The listener is closed. */
    void end() {
        settle(CLOSED);
    }

    void expireIfDue(long nowNs, long gapNs) {
        deadlineNs += TurnGap.excusedNs(gapNs, limitNs);
        if (nowNs - deadlineNs > 0 && isOpen()) {
            settle(new Standing(
                    State.TIMED_OUT,
                    Reason.TIMED_OUT,
                    "no worker accepted the connection request: connect.timeout=" + limitNs / 1_000_000
                            + " ms at the listener"));
        }
    }

    /** Whether it no longer needs its slot; a refused peer is passed on before. */
    boolean trySettle(BiConsumer<SocketConnection, Answer> refuser) {
        Standing last = standing;
        last.refusal.ifPresent(refusal -> refuser.accept(peer, refusal));
        return last.state != State.OPEN && last.state != State.ACCEPTED;
    }

    /** The listener's worker closes: closes the peer's connection unless another worker owns it. */
    void hangUp() {
        end();
        if (standing.refusal.isPresent()) {
            SocketConnection.close(peer.channel());
        }
    }
}
