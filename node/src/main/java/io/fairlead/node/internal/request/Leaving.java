package io.fairlead.node.internal.request;

import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.frame.RequestFrame;
import java.lang.foreign.MemorySegment;

/**
 * Which side of one connection leaves. The side that leaves notifies the other, which confirms behind its last request. Belongs to the loop's thread where
 * nothing else is said.
 */
final class Leaving {
    static final String PEER_LEAVES =
            "the peer leaves and takes no further requests; ask another, or call again when it is connected again";

    private final PeerRequests requests;
    private final NodeRequests node;
    /** The peer has been notified over this connection that this node leaves. */
    private boolean notified;
    /** The peer has confirmed that, and sends no further request. */
    private boolean confirmed;
    /** The peer leaves: it gets no further request over this connection. */
    private volatile boolean peerLeaves;

    Leaving(PeerRequests requests, NodeRequests node) {
        this.requests = requests;
        this.node = node;
    }

    /** There is a new connection, over which nobody has said anything. */
    void connected() {
        peerLeaves = false;
        notified = false;
        confirmed = false;
    }

    /** The peer says that it leaves, or confirms that this node does. */
    void received(int kind, MemorySegment frame, long length) {
        boolean confirms = kind == RequestFrame.LEAVE_CONFIRMED;
        if (length > 0 || RequestFrame.id(frame) != 0 || (confirms ? !notified || confirmed : peerLeaves)) {
            requests.violated(RequestFrame.violation((confirms ? "a confirmation of leaving" : "a notice of leaving")
                    + " that is not due, or of length=" + length + ", id=" + RequestFrame.id(frame) + ", allowed 0"));
        } else if (confirms) {
            confirmed = true;
        } else {
            peerLeaves = true;
            requests.failUnsentRequests(RequestStatus.UNAVAILABLE, PEER_LEAVES);
            requests.send(RequestNotice.leaveConfirmed(requests));
        }
    }

    /** Whether the peer has said that it leaves. On any thread. */
    boolean peerLeaves() {
        return peerLeaves;
    }

    /** Notifies the peer, once. Returns true if nothing is left to answer, and the peer sends nothing more. */
    boolean leave() {
        if (!notified) {
            notified = true;
            requests.send(RequestNotice.leave(requests));
        }
        return confirmed && requests.served().isEmpty();
    }

    /** Whether a request that arrives now is refused, because this node leaves. What was sent before the peer was notified is answered. */
    boolean refusesRequests() {
        if (node.isLeaving() && !notified) {
            boolean _ = requests.leave();
        }
        return confirmed || node.hasLeft();
    }
}
