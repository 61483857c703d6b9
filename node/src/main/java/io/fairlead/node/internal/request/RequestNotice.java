package io.fairlead.node.internal.request;

import io.fairlead.Completion;
import io.fairlead.Endpoint;
import io.fairlead.Request;
import io.fairlead.Status;
import io.fairlead.node.internal.frame.RequestFrame;
import io.fairlead.node.internal.memory.NativePool.Block;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A message about requests that is none and answers none: a cancel, or that this side leaves. Belongs to the loop's thread. */
final class RequestNotice implements RequestPost, Completion {
    private final PeerRequests requests;
    private final int kind;
    private final int id;
    private @Nullable RequestMemory memory;

    private RequestNotice(PeerRequests requests, int kind, int id) {
        this.requests = requests;
        this.kind = kind;
        this.id = id;
    }

    /** The caller of a request has given up. */
    static RequestNotice cancel(PeerRequests requests, int id) {
        return new RequestNotice(requests, RequestFrame.CANCEL, id);
    }

    /** This node leaves. */
    static RequestNotice leave(PeerRequests requests) {
        return new RequestNotice(requests, RequestFrame.LEAVE, 0);
    }

    /** The peer, which leaves, gets no further request. */
    static RequestNotice leaveConfirmed(PeerRequests requests) {
        return new RequestNotice(requests, RequestFrame.LEAVE_CONFIRMED, 0);
    }

    @Override
    public long post(Endpoint endpoint) {
        if (kind == RequestFrame.CANCEL && !requests.table().isOutstanding(id)) {
            // The answer has come meanwhile.
            return 0;
        }
        Block block = requests.shortBlock();
        if (block == null) {
            return Endpoint.BACK_PRESSURE;
        }
        RequestMemory header = RequestMemory.of(block, 0);
        long posted = Endpoint.CLOSED;
        try {
            posted = header.send(endpoint, kind, id, this);
        } finally {
            if (posted < 0) {
                header.release();
            } else {
                memory = header;
            }
        }
        return posted;
    }

    @Override
    public void completed(Request sent) {
        Objects.requireNonNull(memory, "memory").release();
    }

    @Override
    public boolean mayWait() {
        return true;
    }

    @Override
    public void notPosted(Status status) {
        // The connection ends, and what it is about with it.
    }
}
