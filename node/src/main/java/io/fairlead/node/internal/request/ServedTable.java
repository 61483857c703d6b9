package io.fairlead.node.internal.request;

import io.fairlead.ActiveMessage;
import io.fairlead.node.RequestStatus;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.memory.ByteLimit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests of one peer that are not answered, in the slots that the peer has chosen. Belongs to the loop's thread. */
final class ServedTable {
    private final PeerRequests requests;
    private @Nullable ServedRequest[] served = new ServedRequest[16];
    /** What the peer has of each service that it has asked. */
    private final Map<NodeService, NodeService.Share> shares = new HashMap<>();
    /** The memory of requests, including arriving ones. */
    private final ByteLimit held;

    ServedTable(PeerRequests requests, ByteLimit held) {
        this.requests = requests;
        this.held = held;
    }

    /** Accounts for the memory of a request. Returns false if a limit is reached: this peer's, or the limit of all peers. */
    boolean tryHold(long length) {
        return held.tryTake(length);
    }

    /** The memory of a request is free again; on any thread. */
    void release(long length) {
        held.giveBack(length);
    }

    /** What the peer has of a service. */
    NodeService.Share shareOf(NodeService service) {
        NodeService.Share known = shares.get(service);
        if (known != null) {
            return known;
        }
        // So there are at most as many shares as open services.
        shares.keySet().removeIf(NodeService::isClosed);
        NodeService.Share share = new NodeService.Share();
        shares.put(service, share);
        return share;
    }

    long bytesMax() {
        return held.max();
    }

    /** A request arrives. */
    void received(int id, ActiveMessage message) {
        int slot = RequestFrame.slot(id);
        if (slot >= served.length) {
            served = Arrays.copyOf(served, Math.max(2 * served.length, Integer.highestOneBit(slot) << 1));
        }
        if (served[slot] != null) {
            requests.violated(RequestFrame.violation("a request in the place of one that is not answered: id=" + id));
            return;
        }
        ServedRequest request = new ServedRequest(requests, id);
        served[slot] = request;
        request.arrived(message);
    }

    /** A cancel arrives. */
    void cancelled(int id, long length) {
        if (length > 0) {
            requests.violated(RequestFrame.violation("length of a cancel=" + length + ", allowed 0 bytes"));
            return;
        }
        int slot = RequestFrame.slot(id);
        ServedRequest cancelled = slot < served.length ? served[slot] : null;
        if (cancelled != null && cancelled.id == id) {
            cancelled.cancel();
        }
    }

    /** Whether a request is not answered. */
    boolean holds(AnsweredRequest request) {
        int slot = RequestFrame.slot(request.id);
        return slot < served.length && served[slot] == request;
    }

    boolean isEmpty() {
        for (ServedRequest request : served) {
            if (request != null) {
                return false;
            }
        }
        return true;
    }

    /** The answer of a request has left. */
    void remove(AnsweredRequest request) {
        if (holds(request)) {
            served[RequestFrame.slot(request.id)] = null;
        }
    }

    /** The peer is gone. */
    void disconnected() {
        for (int slot = 0; slot < served.length; slot++) {
            ServedRequest request = served[slot];
            if (request != null) {
                served[slot] = null;
                request.peerGone();
            }
        }
    }

    /** Ends what is past its deadline. Returns the least remaining time of the others, {@link Long#MAX_VALUE} if there are none. */
    long expire(long nowNs) {
        long earliestNs = Long.MAX_VALUE;
        for (ServedRequest request : served) {
            if (request != null && request.isOpen()) {
                long leftNs = request.dueNs - nowNs;
                if (leftNs <= 0) {
                    request.end(RequestStatus.DEADLINE_EXCEEDED, "no answer within the deadline");
                } else {
                    earliestNs = Math.min(earliestNs, leftNs);
                }
            }
        }
        return earliestNs;
    }
}
