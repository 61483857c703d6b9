package io.fairlead.node;

import io.fairlead.Context;
import io.fairlead.node.internal.request.ContextRequests;

/** Counts of a node's own requests and its peers' requests, including ended peers. Thread-safe. Implemented by Fairlead only. */
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
