package io.fairlead.internal.engine;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.spi.TransportEndpoint;

/**
 * The disconnect of an endpoint by either side. This side's close waits until all data is sent, sends the disconnect,
 * and ends when the kernel has it, or at the deadline. A peer closes its data path right after its disconnect message,
 * so the transport may report a failure while that message is unread; this distinguishes a close from a loss.
 */
final class Disconnect {
    private final CoreWorker worker;
    private final EndpointLifecycle lifecycle;
    /** When this side's close ends at the latest. */
    private long deadlineNs;

    private boolean sent;
    /** The transport is reporting a failure. */
    private boolean insideTransport;
    /** The peer's disconnect was found during the report. */
    private boolean found;

    Disconnect(CoreWorker worker, EndpointLifecycle lifecycle) {
        this.worker = worker;
        this.lifecycle = lifecycle;
    }

    // By this side.

    void begin(long untilNs) {
        deadlineNs = untilNs;
    }

    /** Whether this side's disconnect was sent. */
    boolean isSent() {
        return sent;
    }

    /** Advances the close; true when it is done. */
    boolean tryFinish(TransportEndpoint transport, long nowNs) {
        boolean late = nowNs - deadlineNs >= 0;
        boolean hadTurn = sent;
        if (!sent && (late || (!lifecycle.endpoint().isBusy() && transport.isDrained()))) {
            sent = lifecycle.channel().disconnect();
        }
        boolean said = sent && transport.isDrained() && lifecycle.channel().isDrained();
        if (late && sent && !hadTurn && !said) {
            // The transport's next turn writes it, if the connection is writable.
            return false;
        }
        return late || said;
    }

    // By the peer.

    /** Whether the peer has disconnected, and the endpoint closes as soon as its transport has returned. */
    boolean isFound() {
        return found;
    }

    /** The peer's disconnect has arrived. */
    void arrived() {
        if (lifecycle.isEnding()) {
            return;
        }
        if (insideTransport) {
            // Its progress is not reentrant.
            found = true;
        } else {
            closeEndpoint();
        }
    }

    /** The transport has reported the peer's failure. */
    @SuppressWarnings("ReferenceEquality") // A part is one object.
    void reportFailure(FairleadException cause) {
        EndpointTransport transport = lifecycle.transport();
        if (transport.isSettling()) {
            // The transport must return before its part can be closed and another one created.
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
            // Operations that the transport ends until the teardown end for this reason.
            lifecycle.endpoint().setTerminalStatus(found ? Status.CLOSED : Status.PEER_FAILED);
            worker.connections().queueVerdict(() -> judge(cause));
        }
    }

    /** The transport has returned. If a disconnect has arrived by now, the failure is a close. */
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
            // The peer has disconnected anyway; a later exception of its data path must not affect other endpoints.
            lifecycle.failThrown(thrown);
        }
    }

    private void closeEndpoint() {
        if (lifecycle.channel().isSeparate()) {
            // The disconnect did not use the data path; data that the peer sent before has arrived already.
            catchUp();
            // The peer may have connected and closed between two turns of this side.
            lifecycle.transport().trySettle(worker.nowNs());
        }
        lifecycle.closeByPeer();
    }
}
