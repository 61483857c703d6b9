package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes UCX connect two endpoints, which it does on first use. The wire-up has three messages: a request, a reply and
 * an acknowledgement. They establish all of UCX's connections, which takes progress on both sides.
 *
 * <p>Only the side that {@linkplain EndpointPairing leads} begins, because UCX requests the peer's endpoint number
 * before the first message that must be answered, a synchronous or a long one. If both sides request it, and one of
 * them closes its endpoint before it has read the other's request, it creates a new endpoint for the answer. The other
 * side knows the number already, finds another one in the answer, and a UCX with assertions ends the process (1.13 to
 * 1.18, {@code ucp_ep_update_remote_id}).
 *
 * <p>The core's handshake cannot carry these messages: it ends before UCX has a connection, and they prove that UCX has
 * one. The acknowledgement is for the following side: before it, that side's messages may have to wait for the other
 * side's progress.
 *
 * <p>Each carries a {@linkplain WireUpSeal seal} of the connection. A message with a wrong seal is dropped and fails no
 * endpoint. So is a second message of one kind: it may be replayed, and UCX does not report the sender.
 */
final class WireUp implements EndpointPairing.Candidate {
    private final UcxEndpointState state;
    private final TransportChannel channel;
    private final WireUpParts parts;
    private final WireUpSeal seal;
    private final WorkerAddress peer;
    private final Lanes.Route route;
    /** The pairing with the peer's worker; null if that is this one. */
    private final @Nullable EndpointPairing pairing;

    private final Consumer<FairleadException> failing;
    private final boolean leads;
    /** This has created a UCX endpoint. */
    private boolean made;

    private boolean closed;
    /** The peer's request has arrived, which it sends once. */
    private boolean asked;
    /** The request has arrived, and this endpoint's turn has not come. */
    private boolean waiting;

    private boolean over;
    /** What the two sides may do is known. Before that a request is not answered. */
    private boolean agreed;

    private boolean early;
    private long earlyNumber;

    /**
     * Creates it, before anything is sent.
     *
     * @param route how UCX reaches the peer
     * @param attempt the number of earlier wire-ups of the connection
     * @param failing gets the cause if it cannot go on
     */
    WireUp(
            UcxEndpointState state,
            TransportChannel channel,
            WireUpParts parts,
            WorkerAddress peer,
            Lanes.Route route,
            int attempt,
            Consumer<FairleadException> failing) {
        this.agreed = !state.host().mayLeaveLanes();
        this.state = state;
        this.channel = channel;
        this.failing = failing;
        this.seal = new WireUpSeal(state.host(), parts.own(), peer, attempt);
        this.parts = parts;
        this.peer = peer;
        this.route = route;
        this.pairing = parts.pairings().acquire(peer.worker());
        this.leads = pairing == null ? state.host().isConnector() : pairing.isLeader();
    }

    /** The proofs of the handshake, which is over before UCX connects. */
    HandshakeProof proof() {
        return new HandshakeProof(state.host(), seal, route);
    }

    /** Whether both sides are connected. */
    boolean isOver() {
        return over;
    }

    /** The peer's endpoint can receive messages. */
    void begin() {
        if (!leads) {
            return;
        }
        if (pairing != null) {
            pairing.join(this);
        } else if (mayBegin()) {
            boolean _ = begin(0);
        }
    }

    @Override
    public boolean mayBegin() {
        try {
            requirePort();
            return true;
        } catch (FairleadException down) {
            failing.accept(down);
            return false;
        }
    }

    /**
     * UCX may end the process if it creates an endpoint over a port that is down.
     *
     * @throws FairleadException {@code PATH_DOWN} if it is
     */
    void requirePort() {
        // UCX connects over a port, which must be up.
        if (route == Lanes.Route.RDMA) {
            parts.requirePort(label());
        }
    }

    @Override
    public boolean begin(int number) {
        try {
            make();
        } catch (FairleadException refused) {
            failing.accept(refused);
            return false;
        }
        TransportMessage request = channel.take();
        request.request(seal.own(TransportMessage.WIRE_UP_REQUEST, number), number);
        channel.sendWireUpRequest(request);
        return true;
    }

    /** Both sides have their endpoints. */
    private void settle() {
        if (pairing != null) {
            pairing.settle(this);
        }
    }

    /** The endpoint is closed, or has another wire-up. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (pairing != null) {
            pairing.abandon(this);
            if (!leads && !made) {
                pairing.notePending();
            }
        }
        if (waiting) {
            waiting = false;
            parts.queue().remove(this);
        }
        if (pairing != null) {
            parts.pairings().release(peer.worker(), pairing);
        }
    }

    @Override
    public String label() {
        return state.host().label();
    }

    @Override
    public void fail(FairleadException cause) {
        failing.accept(cause);
    }

    @Override
    public void makePlaceholder() {
        parts.abandoned().add(parts.maker().make(peer.address(), 0, label()));
    }

    private void make() {
        state.setUcp(parts.maker().make(peer.address(), state.host().id(), label()));
        made = true;
    }

    /** Handles a message of the wire-up; false if it is forged, replayed, or out of order. */
    boolean tryReceive(TransportMessage message) {
        // Without a UCX endpoint there is no way to answer.
        return message.isWellFormed()
                && !closed
                && (made || message.kind == TransportMessage.WIRE_UP_REQUEST)
                && message.hasSeal(seal.peer(message.kind, message.endpointNumber()))
                && tryTake(message);
    }

    private boolean tryTake(TransportMessage message) {
        return switch (message.kind) {
            case TransportMessage.WIRE_UP_REQUEST -> tryTakeRequest(message.endpointNumber());
            case TransportMessage.WIRE_UP_REPLY -> tryTakeReply();
            default -> tryTakeAcknowledgement();
        };
    }

    private boolean tryTakeRequest(long number) {
        if (leads || asked) {
            return false;
        }
        asked = true;
        if (agreed) {
            take(number);
        } else {
            early = true;
            earlyNumber = number;
        }
        return true;
    }

    /** The peer's last message of the handshake has arrived, which its request may have overtaken. */
    void agree() {
        agreed = true;
        if (early) {
            early = false;
            take(earlyNumber);
        }
    }

    private void take(long number) {
        if (!mayBegin()) {
            return;
        }
        if (pairing == null || parts.queue().meet(pairing, this, number)) {
            answer();
        } else {
            waiting = true;
        }
    }

    @Override
    public void paired() {
        waiting = false;
        answer();
    }

    private void answer() {
        try {
            make();
        } catch (FairleadException refused) {
            failing.accept(refused);
            return;
        }
        send(TransportMessage.WIRE_UP_REPLY);
    }

    private boolean tryTakeReply() {
        if (!leads || over) {
            return false;
        }
        end();
        settle();
        send(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT);
        return true;
    }

    private boolean tryTakeAcknowledgement() {
        if (!asked || over) {
            return false;
        }
        end();
        return true;
    }

    /** Both sides are connected. */
    void end() {
        over = true;
        state.markConnected();
    }

    private void send(int kind) {
        TransportMessage message = channel.take();
        message.seal(seal.own(kind, 0));
        channel.send(message, kind);
    }
}
