package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the parts of an endpoint share: the core's side of it, what UCX knows of it, what of it is in flight, and whether it has ended. */
final class UcxEndpointState {
    private static final Logger LOG = LoggerFactory.getLogger(UcxEndpointState.class);

    private final EndpointHost host;
    /** Null until it is made. */
    private @Nullable UcpEndpoint ucp;
    /** Its handle, or 0. */
    private long handle;

    private int inFlight;
    /** Of those, the ones that a graceful close waits for. */
    private int leaving;
    /** Something was sent or put since the last flush of a graceful close. */
    private boolean dirty;
    /** Why UCX gave the peer up. */
    private byte givenUp = Ucp.OK;

    /** Wire-up messages that were forged or replayed. */
    private int dropped;

    private boolean failed;
    private boolean closed;

    UcxEndpointState(EndpointHost host) {
        this.host = host;
    }

    EndpointHost host() {
        return host;
    }

    /** UCX knows the endpoint from now on. */
    void setUcp(UcpEndpoint endpoint) {
        ucp = endpoint;
        handle = endpoint.handle();
    }

    /** Null if UCX does not know the endpoint yet. */
    @Nullable UcpEndpoint ucp() {
        return ucp;
    }

    /** UCX's handle, or 0. */
    long handle() {
        return handle;
    }

    /** Whether something can be sent; before that nothing makes sense but to wire up. */
    boolean isMade() {
        return handle != 0;
    }

    void beginRequest(boolean leaves) {
        inFlight++;
        if (leaves) {
            leaving++;
        }
    }

    void endRequest(boolean leaves) {
        inFlight--;
        if (leaves) {
            leaving--;
        }
    }

    /** Whether no request of it is with UCX. */
    boolean isIdle() {
        return inFlight == 0;
    }

    /** Whether a graceful close has requests to wait for. */
    boolean isLeaving() {
        return leaving > 0;
    }

    /** Something leaves that the peer has to get before a graceful close ends. */
    void markDirty() {
        dirty = true;
    }

    /** Whether something has left since the last call. */
    boolean takeDirty() {
        boolean was = dirty;
        dirty = false;
        return was;
    }

    /**
     * Counts a wire-up message that is not the peer's, or is replayed. UCX accepts messages from everybody, so that the endpoint does not fail for it. Only the first is logged, because
     * whoever sends one can send millions.
     */
    void noteDropped(int kind, long length) {
        if (dropped++ == 0) {
            LOG.warn(
                    "dropped a wire-up message that is forged or replayed: endpoint={}, kind={}, length={}"
                            + " bytes; further ones are only counted",
                    host.label(),
                    kind,
                    length);
        }
    }

    /** How many messages of the wire-up were dropped. */
    int dropped() {
        return dropped;
    }

    // The end.

    boolean hasFailed() {
        return failed;
    }

    /** The core has closed the endpoint. */
    void close() {
        closed = true;
        if (dropped > 1) {
            LOG.warn("dropped wire-up messages: endpoint={}, count={}", host.label(), dropped);
        }
    }

    /** Whether nothing can be sent any more. */
    boolean hasEnded() {
        return failed || closed;
    }

    /** UCX gives the peer up, from within its progress: the core is told when that has returned. */
    void giveUp(byte status) {
        givenUp = status;
    }

    boolean isGivenUp() {
        return givenUp != Ucp.OK;
    }

    /** Tells the core of a peer that UCX has given up, if it has. */
    void tellGivenUp() {
        if (isGivenUp()) {
            failLost(givenUp);
        }
    }

    /** UCX has given the peer up. */
    void failLost(byte status) {
        fail(new FairleadException(
                Reason.PEER_LOST, "UCX gave the peer up: endpoint=" + host.label() + ", " + UcxStatus.text(status)));
    }

    void fail(FairleadException cause) {
        if (!hasEnded()) {
            failed = true;
            host.failed(cause);
        }
    }

    /**
     * Memory of an operation that is under way is not alive any more. Some of the operation may have left, so that only the end of the
     * endpoint can tell the peer.
     */
    void failMemoryClosed(IllegalStateException cause) {
        fail(new FairleadException(
                Reason.TRANSPORT,
                "memory of an operation was closed before the operation ended: endpoint=" + host.label() + ", cause: "
                        + cause.getMessage() + "; keep its Arena open until the completion has run",
                cause));
    }

    /** Something was thrown while this endpoint was worked on, which ends no other. */
    void failThrown(Throwable thrown) {
        fail(new FairleadException(
                Reason.TRANSPORT, "UCX transport failed: endpoint=" + host.label() + ", cause: " + thrown, thrown));
    }

    /** The peer has broken the rules of this transport. */
    void failViolation(String how) {
        fail(new FairleadException(Reason.PROTOCOL_VIOLATION, how + ", endpoint=" + host.label()));
    }
}
