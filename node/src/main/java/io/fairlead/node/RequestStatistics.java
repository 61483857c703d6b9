package io.fairlead.node;

import io.fairlead.Context;
import io.fairlead.node.internal.request.ContextRequests;
import java.util.List;

/** Counts of a node's own requests and its peers' requests, including ended peers. Thread-safe. Implemented by Fairlead only. */
public interface RequestStatistics {
    /** How many services of each side are counted apart. */
    int SERVICES_MAX = 128;

    /** How many names {@link Node#nameService} keeps. */
    int NAMES_MAX = 1024;

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

    /**
     * The services that this node has had or has asked, in the order of their first requests. The list grows; its elements stay the same.
     *
     * @return at most {@value #SERVICES_MAX} for each side, and one for the rest of a side
     */
    List<ServiceStatistics> services();
}
