package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.spi.EndpointHost;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared state of an endpoint's parts: the core's host, the UCX endpoint, requests in flight, and whether it has
 * ended.
 */
final class UcxEndpointState {
    private static final Logger LOG = LoggerFactory.getLogger(UcxEndpointState.class);

    private final EndpointHost host;
    /** Null until it is created. */
    private @Nullable UcpEndpoint ucp;
    /** Its handle, or 0. */
    private long handle;

    private int inFlight;
    /** The number of requests that a graceful close waits for. */
    private int leaving;
    /** There was a send or put since the last flush of a graceful close. */
    private boolean dirty;
    /** The numbers of messages outside of batches, see {@link Batch}: tagged ones and others, sent and taken. */
    private int taggedSent;

    private int othersSent;
    private int taggedTaken;
    private int othersTaken;
    /** Why UCX gave up the peer. */
    private byte givenUp = Ucp.OK;

    /** The number of forged or replayed wire-up messages. */
    private int dropped;

    /** UCX has connected it: its lanes may be left. */
    private boolean connected;
    /** Its UCX endpoint was given up. */
    private boolean left;
    /** How often both sides have left their lanes. */
    private int epoch;
    /** A batch of it is being read. */
    private boolean beingRead;
    /** Null unless both sides may leave their lanes. */
    private @Nullable LeavableLanes lanes;

    private boolean failed;
    private boolean closed;

    UcxEndpointState(EndpointHost host) {
        this.host = host;
    }

    EndpointHost host() {
        return host;
    }

    /** Sets the UCX endpoint. */
    void setUcp(UcpEndpoint endpoint) {
        ucp = endpoint;
        handle = endpoint.handle();
        givenUp = Ucp.OK;
    }

    /** Forgets a UCX endpoint that is not used, and returns it; null if there is none. */
    @Nullable UcpEndpoint detach() {
        UcpEndpoint unused = handle == 0 ? null : ucp;
        if (unused != null) {
            handle = 0;
            ucp = null;
        }
        return unused;
    }

    /** Null if there is no UCX endpoint yet. */
    @Nullable UcpEndpoint ucp() {
        return ucp;
    }

    /** UCX's handle, or 0. */
    long handle() {
        return handle;
    }

    /** Whether operations can be sent; before that only the wire-up. */
    boolean isMade() {
        return handle != 0 || left;
    }

    /** How it leaves its lanes; null if it must not. */
    @Nullable LeavableLanes lanes() {
        return lanes;
    }

    /** Both sides may leave their lanes. */
    void setLanes(LeavableLanes agreed) {
        lanes = agreed;
    }

    /** Both sides are connected. */
    void markConnected() {
        connected = true;
    }

    /** Whether the lanes may be left: both sides have them, and may leave them. */
    boolean mayLeave() {
        return lanes != null && connected && !hasEnded();
    }

    /** The UCX endpoint is closed. */
    void leave() {
        handle = 0;
        left = true;
        givenUp = Ucp.OK;
    }

    /** Another UCX endpoint is used. */
    void comeBack() {
        left = false;
    }

    /** Both sides have left their lanes: what still comes of those is told from what comes of others. */
    void beginEpoch() {
        epoch++;
    }

    /** Whether UCX's tag of a batch or of a long payload is of the lanes that were used last. */
    boolean isCurrent(long tag) {
        return TransportMessage.target(tag) == (epoch & TransportMessage.EPOCH_MASK);
    }

    /** UCX's tag of a batch to the peer, or of the payload of a long message. */
    long laneTag(int kind) {
        return TransportMessage.laneTag(kind, epoch, host.sourceId());
    }

    boolean hasLeft() {
        return left;
    }

    /** A batch of it is being read, or no longer is. */
    void setBeingRead(boolean reading) {
        beingRead = reading;
    }

    boolean isBeingRead() {
        return beingRead;
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

    /** Whether UCX has no request of it. */
    boolean isIdle() {
        return inFlight == 0;
    }

    /** Whether a graceful close has requests to wait for. */
    boolean isLeaving() {
        return leaving > 0;
    }

    /** Data was sent that the peer must receive before a graceful close ends. */
    void markDirty() {
        dirty = true;
    }

    /** Whether data was sent since the last call. */
    boolean takeDirty() {
        boolean was = dirty;
        dirty = false;
        return was;
    }

    // The order of batches and other messages. Messages of the wire-up precede everything and are not counted.

    /** A tagged message leaves outside of a batch. */
    void countTaggedSent() {
        taggedSent++;
    }

    /** Another message leaves outside of a batch: of the transport, or a part of an active message. */
    void countOtherSent() {
        othersSent++;
    }

    void countTaggedTaken() {
        taggedTaken++;
    }

    void countOtherTaken() {
        othersTaken++;
    }

    /** The counts that a batch carries. */
    long sent() {
        return Batch.counts(taggedSent, othersSent);
    }

    /** Whether all messages were taken that a batch with these counts follows. */
    boolean hasTaken(long counts) {
        return counts == Batch.counts(taggedTaken, othersTaken);
    }

    /** The number of tagged messages to take before a batch with these counts; negative if the peer miscounts. */
    int missingTagged(long counts) {
        return Batch.tagged(counts) - taggedTaken;
    }

    /** The number of other messages to take before a batch with these counts; negative if the peer miscounts. */
    int missingOthers(long counts) {
        return Batch.others(counts) - othersTaken;
    }

    /**
     * Counts a wire-up message that is not the peer's, or is replayed. UCX accepts messages from everyone, so the
     * endpoint does not fail. Only the first is logged, because a sender can send millions.
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

    /** The number of dropped wire-up messages. */
    int dropped() {
        return dropped;
    }

    // End of the endpoint.

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

    /** UCX gives up the peer, inside its progress: the core is notified when that has returned. */
    void giveUp(byte status) {
        givenUp = status;
    }

    boolean isGivenUp() {
        return givenUp != Ucp.OK;
    }

    /** Notifies the core of a peer that UCX has given up, if it has. */
    void reportGivenUp() {
        if (isGivenUp()) {
            failLost(givenUp);
        }
    }

    /** UCX has given up the peer. */
    void failLost(byte status) {
        LeavableLanes leaving = lanes;
        if (leaving != null && (mayLeave() || left)) {
            boolean _ = leaving.tryLeave("UCX gave the peer up: " + UcxStatus.text(status));
            return;
        }
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
     * The memory of an operation in progress was closed. Parts of the operation may have been sent, so only the end of
     * the endpoint can notify the peer.
     */
    void failMemoryClosed(IllegalStateException cause) {
        fail(new FairleadException(
                Reason.TRANSPORT,
                "memory of an operation was closed before the operation ended: endpoint=" + host.label() + ", cause: "
                        + cause.getMessage() + "; keep its Arena open until the completion has run",
                cause));
    }

    /** An exception was thrown while this endpoint was processed; no other endpoint is affected. */
    void failThrown(Throwable thrown) {
        fail(new FairleadException(
                Reason.TRANSPORT, "UCX transport failed: endpoint=" + host.label() + ", cause: " + thrown, thrown));
    }

    /** The peer has broken the rules of this transport. */
    void failViolation(String how) {
        fail(new FairleadException(Reason.PROTOCOL_VIOLATION, how + ", endpoint=" + host.label()));
    }
}
