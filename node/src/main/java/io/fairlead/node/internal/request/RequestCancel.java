package io.fairlead.node.internal.request;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.memory.NativePool.Block;

/** Cancels a request at the peer, because its caller has given up. Belongs to the loop's thread. */
final class RequestCancel implements RequestPost, Completion {
    private final PeerRequests requests;
    private final int id;
    private RequestMemory memory = RequestMemory.NONE;

    RequestCancel(PeerRequests requests, int id) {
        this.requests = requests;
        this.id = id;
    }

    @Override
    public long post(Endpoint endpoint) {
        if (!requests.table().isOutstanding(id)) {
            // The answer has come meanwhile.
            return 0;
        }
        Block block = requests.shortBlock();
        if (block == null) {
            return Endpoint.BACK_PRESSURE;
        }
        memory = RequestMemory.of(block, 0);
        long posted = Endpoint.CLOSED;
        try {
            posted = memory.send(endpoint, RequestFrame.CANCEL, id, this);
        } finally {
            if (posted < 0) {
                memory.release();
            }
        }
        return posted;
    }

    @Override
    public void completed(Request sent) {
        memory.release();
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
