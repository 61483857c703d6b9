package io.fairlead.node;

import io.fairlead.Status;

/** What a {@link Node} does with operations that exceed a limit. The value of {@code node.back-pressure}. */
public enum BackPressure {
    /**
     * They wait. An operation that the engine answers {@link Status#BACK_PRESSURE} is posted again until it is taken; when
     * {@code node.queue-max} operations of a peer, or its part of {@code node.queue-bytes}, wait like that, a further call blocks its thread for
     * at most {@code node.wait-timeout}, and then fails its future with {@link Status#BACK_PRESSURE}. On a progress thread it fails at once.
     */
    WAIT,
    /** They fail: the future completes with {@link Status#BACK_PRESSURE} and nothing was started. No call ever blocks. */
    FAIL
}
