package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.TransportEndpoint;

/**
 * Tells a peer that closes from one that is lost. A peer takes its data path down right behind its goodbye, so that the transport may report
 * a failure while the goodbye is still unread.
 */
final class PeerGoodbye {
    private final CoreWorker worker;
    private final EndpointLifecycle lifecycle;
    /** The transport reports a failure. */
    private boolean insideTransport;
    /** The peer's goodbye was found then. */
    private boolean found;

    PeerGoodbye(CoreWorker worker, EndpointLifecycle lifecycle) {
        this.worker = worker;
        this.lifecycle = lifecycle;
    }

    /** Whether the peer has said goodbye, and the endpoint closes as soon as its transport has returned. */
    boolean isFound() {
        return found;
    }

    /** The peer has said goodbye. */
    void arrived() {
        if (lifecycle.isEnding()) {
            return;
        }
        if (insideTransport) {
            // Its progress cannot be called again from here.
            found = true;
        } else {
            closeEndpoint();
        }
    }

    /** The transport has given the peer up. */
    @SuppressWarnings("ReferenceEquality") // A part is one object.
    void reportFailure(FairleadException cause) {
        EndpointTransport transport = lifecycle.transport();
        if (transport.isSettling()) {
            // The transport has to return before its part can be closed and another one made.
            TransportEndpoint failing = transport.part();
            worker.connections().queueVerdict(() -> {
                if (transport.part() == failing && !transport.tryNextPath(cause)) {
                    lifecycle.fail(cause);
                }
            });
            return;
        }
        if (!lifecycle.channel().isSeparate() || lifecycle.isEnding()) {
            lifecycle.fail(cause);
            return;
        }
        insideTransport = true;
        lifecycle.readControl();
        insideTransport = false;
        if (!lifecycle.isEnding()) {
            // What the transport ends until the endpoint is taken down, it ends because of this.
            lifecycle.setTerminalStatus(found ? Status.CLOSED : Status.PEER_FAILED);
            worker.connections().queueVerdict(() -> judge(cause));
        }
    }

    /** The transport has returned since. A goodbye that is here by now makes a close of its failure. */
    private void judge(FairleadException cause) {
        if (!lifecycle.isEnding() && !found) {
            lifecycle.readControl();
        }
        if (!lifecycle.isEnding()) {
            if (found) {
                closeEndpoint();
            } else {
                lifecycle.fail(cause);
            }
        }
    }

    private void catchUp() {
        try {
            lifecycle.transport().catchUp();
        } catch (Throwable thrown) {
            // The peer has left all the same, and what its data path throws from now on ends nobody else.
            lifecycle.failThrown(thrown);
        }
    }

    private void closeEndpoint() {
        if (lifecycle.channel().isSeparate()) {
            // The goodbye came by another road than the data; what the peer sent before it is already here.
            catchUp();
            // It may have connected and closed between two turns of this side.
            lifecycle.transport().trySettle(worker.nowNs());
        }
        lifecycle.closeByPeer();
    }
}
