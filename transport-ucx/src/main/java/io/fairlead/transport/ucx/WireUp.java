package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import org.jspecify.annotations.Nullable;

/**
 * How UCX connects two endpoints, which it does on first use: with three messages, a request, a reply and an acknowledgement. All that UCX
 * connects it connects by them, which takes progress on both sides; and only the side that {@linkplain EndpointMatching leads} begins, because UCX
 * asks the peer for its endpoint's number before the first message that has to be answered, a synchronous or a long one. If both sides ask, and one
 * of them closes its endpoint before it has read the other's question, it makes up a new endpoint to answer with; the other side knows the
 * number already, finds another one in the answer, and a UCX with assertions ends the process (1.13 to 1.18, {@code ucp_ep_update_remote_id}).
 *
 * <p>The core's handshake cannot carry them: it is over before UCX has a connection, and these show that UCX has one. The acknowledgement is for the side
 * that follows: before it, what that side sends may have to wait in it for the other side's progress.
 *
 * <p>Each carries a {@linkplain WireUpSeal seal} of the connection. A message with a wrong seal is dropped and fails no endpoint. So is a second message of one kind: anybody may have replayed
 * it, and UCX does not tell who has sent it.
 */
final class WireUp implements EndpointMatching.Candidate {
    private final UcxEndpointState state;
    private final TransportChannel channel;
    private final WireUpParts parts;
    private final WireUpSeal seal;
    private final WorkerAddress peer;
    /** UCX connects by a port, which has to be up. */
    private final boolean byRdma;
    /** With the peer's worker; null if that is this one. */
    private final @Nullable EndpointMatching matching;

    private final boolean leads;
    /** The peer has asked, which it does once. */
    private boolean asked;
    /** It has asked, and it is not yet this endpoint's turn to be made. */
    private boolean waiting;

    private boolean over;

    /**
     * Makes it, before anything is sent.
     *
     * @param seal what both sides seal their messages with
     * @param route how UCX reaches the peer
     */
    WireUp(
            UcxEndpointState state,
            TransportChannel channel,
            WireUpParts parts,
            WireUpSeal seal,
            WorkerAddress peer,
            Lanes.Route route) {
        this.state = state;
        this.channel = channel;
        this.seal = seal;
        this.parts = parts;
        this.peer = peer;
        this.byRdma = route == Lanes.Route.RDMA;
        this.matching = parts.matchings().acquire(peer.worker());
        this.leads = matching == null ? state.host().isConnector() : matching.isLeader();
    }

    /** Whether both sides are there. */
    boolean isOver() {
        return over;
    }

    /** The peer's endpoint can be spoken to. */
    void begin() {
        if (!leads) {
            return;
        }
        if (matching != null) {
            matching.join(this);
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
            state.fail(down);
            return false;
        }
    }

    /** UCX may end the process where it makes an endpoint by a port that is down. */
    private void requirePort() {
        if (byRdma) {
            parts.requirePort(label());
        }
    }

    @Override
    public boolean begin(int number) {
        try {
            make();
        } catch (FairleadException refused) {
            state.fail(refused);
            return false;
        }
        TransportMessage request = channel.take();
        request.request(seal.own(TransportMessage.WIRE_UP_REQUEST, number), number);
        channel.sendWireUpRequest(request);
        return true;
    }

    /** Both sides have their endpoints. */
    private void settle() {
        if (matching != null) {
            matching.settle(this);
        }
    }

    /** The endpoint is closed. */
    void close() {
        if (matching != null) {
            matching.abandon(this);
            if (!leads && !state.isMade()) {
                matching.noteUnmet();
            }
        }
        if (waiting) {
            waiting = false;
            parts.queue().remove(this);
        }
        if (matching != null) {
            parts.matchings().release(peer.worker(), matching);
        }
    }

    @Override
    public String label() {
        return state.host().label();
    }

    @Override
    public void fail(FairleadException cause) {
        state.fail(cause);
    }

    @Override
    public void makeInVain() {
        parts.abandoned().add(parts.maker().make(peer.address(), 0, label()));
    }

    private void make() {
        state.setUcp(parts.maker().make(peer.address(), state.host().id(), label()));
    }

    /** Takes in a message of the wire-up; false if it is forged, replayed, or out of turn. */
    boolean tryReceive(TransportMessage message) {
        // Without an endpoint of UCX's there is nothing to answer by.
        return message.isWellFormed()
                && (state.isMade() || message.kind == TransportMessage.WIRE_UP_REQUEST)
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
        requirePort();
        if (matching == null || parts.queue().meet(matching, this, number)) {
            answer();
        } else {
            waiting = true;
        }
        return true;
    }

    @Override
    public void met() {
        waiting = false;
        answer();
    }

    private void answer() {
        make();
        send(TransportMessage.WIRE_UP_REPLY);
    }

    private boolean tryTakeReply() {
        if (!leads || over) {
            return false;
        }
        over = true;
        settle();
        send(TransportMessage.WIRE_UP_ACKNOWLEDGEMENT);
        return true;
    }

    private boolean tryTakeAcknowledgement() {
        if (!asked || over) {
            return false;
        }
        over = true;
        return true;
    }

    private void send(int kind) {
        TransportMessage message = channel.take();
        message.seal(seal.own(kind, 0));
        channel.send(message, kind);
    }
}
