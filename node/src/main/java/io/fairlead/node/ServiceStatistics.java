package io.fairlead.node;

import io.fairlead.statistics.DurationHistogram;

/**
 * Counts and times of the requests of one service, as its callers or as its node sees them. Values never decrease. Thread-safe. Implemented by Fairlead only.
 */
public interface ServiceStatistics {
    /** Who counts. */
    enum Side {
        /** A node that makes requests; each attempt of a set counts. */
        CALLER,
        /** The node that answers. */
        SERVICE
    }

    /**
     * The service.
     *
     * @return its {@link ServiceOptions#name() name} on the node that has it; for callers the one that {@link Node#nameService} gave its tag. Without a
     *     name its tag in decimal; {@code other} for all behind the first {@value RequestStatistics#SERVICES_MAX} of a side
     */
    String service();

    /**
     * Who counts.
     *
     * @return never changes
     */
    Side side();

    /**
     * How many requests have ended in this way.
     *
     * @param status which
     * @return 0 and up
     */
    long count(RequestStatus status);

    /**
     * Of a caller the time from the call to the end, of a service the time that handlers took until they answered, or until the request ended otherwise.
     *
     * @return a snapshot
     */
    DurationHistogram duration();

    /**
     * The time from the arrival of a request to its handler's call.
     *
     * @return a snapshot; empty for a caller
     */
    DurationHistogram waiting();
}
