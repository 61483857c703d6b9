package io.fairlead.node.internal;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Status;
import java.lang.foreign.MemorySegment;

/**
 * Tells the peer that nobody waits for a reply any more.
 *
 * @param requests of the peer
 * @param id of the request
 */
record RequestCancel(PeerRequests requests, int id) implements RequestPost {
    @Override
    public long post(Endpoint endpoint) {
        if (!requests.isOutstanding(id)) {
            return 0;
        }
        if (requests.isMessageDue()) {
            return Endpoint.BACK_PRESSURE;
        }
        return endpoint.send(MemorySegment.NULL, 0, 0, RequestFrame.tag(RequestFrame.CANCEL, id), Completion.IGNORE, 0);
    }

    @Override
    public boolean mayWait() {
        return true;
    }

    @Override
    public void notPosted(Status status) {
        // The connection ends, and the request with it.
    }
}
