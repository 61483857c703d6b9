package io.fairlead.node;

import io.fairlead.Context;
import io.fairlead.node.internal.request.ContextRequests;

/** What the node of a context has counted of its requests and of those of its peers, ended peers included. Thread-safe. Implemented by Fairlead only. */
public interface RequestStatistics {
    /**
     * The statistics of a context. They do not keep it from being collected.
     *
     * @param context a node's
     * @return the same for the same context; all are zero for a context without a node
     */
    static RequestStatistics of(Context context) {
        return ContextRequests.of(context);
    }

    /**
     * The present value over all peers.
     *
     * @param counter which
     * @return 0 and up
     */
    long value(RequestCounter counter);
}
