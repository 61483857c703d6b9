package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How two endpoints begin: with three messages, hello, welcome and ready. They make UCX connect all that it connects on first use, which
 * takes progress on both sides; and only the side that {@linkplain Pairing leads} begins, because UCX asks the peer for its endpoint's number before the first message
 * that has to be answered, a synchronous or a long one. If both sides ask, and one of them closes its endpoint before it has read
 * the other's question, it makes up a new endpoint to answer with; the other side knows the number already, finds another one in
 * the answer, and a UCX with assertions ends the process (1.13 to 1.18, {@code ucp_ep_update_remote_id}).
 *
 * <p>Each carries the token of the connection. A stranger who has overheard a handshake, and repeats it to the listener, makes that begin with an
 * endpoint that knows nothing of it: such a word is dropped, and fails nobody.
 *
 * <p>On the way the sides agree on {@link Rings}: both write to the other's, or neither does.
 */
final class Introduction {
    private final UcxWorker worker;
    private final UcxEndpoint endpoint;
    private final byte[] peerAddress;
    private final MemoryAccess access;
    /** With the peer's worker; null if that is this one, whose endpoints UCX connects each to itself. */
    private final @Nullable Pairing pairing;

    private final long peer;
    private final boolean leads;
    private final @Nullable Rings rings;
    /** The peer has said hello, which it does once. */
    private boolean greeted;
    /** Its hello, until it is this endpoint's turn to be made. */
    private @Nullable Note greeting;

    private boolean over;
    /** Messages go through rings, both ways. */
    private boolean onRings;

    Introduction(
            UcxWorker worker, UcxEndpoint endpoint, WorkerAddress peer, MemoryAccess access, @Nullable Rings rings) {
        this.worker = worker;
        this.endpoint = endpoint;
        this.peerAddress = peer.address();
        this.access = access;
        this.pairing = worker.pairing(peer.worker());
        this.peer = peer.worker();
        this.leads = pairing == null ? endpoint.host().connector() : pairing.leads();
        if (pairing != null) {
            pairing.acquire();
        }
        this.rings = rings;
    }

    /** Whether both sides are there. */
    boolean over() {
        return over;
    }

    boolean onRings() {
        return onRings;
    }

    /** The peer's endpoint can be spoken to. */
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

    /** Whether UCX may be asked for an endpoint; if not, this one has failed. */
    boolean mayBegin() {
        try {
            worker.requirePort(access, endpoint.host().label());
            return true;
        } catch (FairleadException down) {
            endpoint.fail(down);
            return false;
        }
    }

    /** The first message, of the side that leads, by the UCX endpoint of that number; false if UCX makes none. */
    boolean begin(int number) {
        try {
            make();
        } catch (FairleadException refused) {
            endpoint.fail(refused);
            return false;
        }
        Note hello = endpoint.note();
        hello.empty(endpoint.host().token());
        hello.endpointNumber(number);
        if (rings != null) {
            boolean _ = rings.offer(hello);
        }
        endpoint.sendHello(hello);
        return true;
    }

    /** Both sides have their endpoints, or this one is closed. */
    void end() {
        if (pairing != null) {
            pairing.settled(this);
        }
    }

    /** The endpoint is closed. */
    void close() {
        end();
        Note unanswered = greeting;
        if (unanswered != null) {
            greeting = null;
            worker.meetings().remove(this);
            endpoint.giveBack(unanswered);
        }
        if (pairing != null && pairing.release()) {
            worker.forgetPairing(peer);
        }
    }

    String label() {
        return endpoint.host().label();
    }

    void fail(FairleadException cause) {
        endpoint.fail(cause);
    }

    /** One that the peer has made and nobody there uses. */
    UcpEndpoint makeInVain() {
        return UcpEndpoint.make(worker, peerAddress, 0, label());
    }

    private void make() {
        endpoint.made(UcpEndpoint.make(
                worker, peerAddress, endpoint.host().id(), endpoint.host().label()));
    }

    /** The peer's first message; false if it makes no sense, as in the others. */
    boolean hello(Note hello) {
        if (leads || greeted) {
            return false;
        }
        greeted = true;
        worker.requirePort(access, endpoint.host().label());
        if (pairing == null || pairing.meet(this, hello.endpointNumber())) {
            answer(hello);
        } else {
            Note kept = endpoint.note();
            kept.copy(hello);
            greeting = kept;
        }
        return true;
    }

    /** It is this endpoint's turn to be made. */
    void met() {
        Note hello = Objects.requireNonNull(greeting, "greeting");
        greeting = null;
        try {
            answer(hello);
        } finally {
            endpoint.giveBack(hello);
        }
    }

    private void answer(Note hello) {
        make();
        Note answer = endpoint.note();
        answer.empty(endpoint.host().token());
        if (rings != null && !(rings.accept(hello) && rings.offer(answer))) {
            rings.abandon();
        }
        endpoint.send(answer, Note.WELCOME);
    }

    boolean welcome(Note welcome) {
        if (!leads || over) {
            return false;
        }
        over = true;
        end();
        if (rings != null) {
            settle(rings, rings.accept(welcome));
        }
        Note answer = endpoint.note();
        answer.empty(endpoint.host().token());
        answer.ringsUsed(onRings);
        endpoint.send(answer, Note.READY);
        return true;
    }

    boolean ready(Note note) {
        if (!greeted || over) {
            return false;
        }
        over = true;
        if (rings != null) {
            settle(rings, rings.open() && note.ringsUsed());
        }
        return true;
    }

    /** Both sides know whether each can write to the other's ring. */
    private void settle(Rings both, boolean used) {
        if (used) {
            both.listen();
            onRings = true;
            endpoint.leavesUcx();
        } else {
            both.abandon();
        }
    }
}
