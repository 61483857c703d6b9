package io.fairlead.transport.ucx;

import java.util.concurrent.locks.LockSupport;

/**
 * Pauses of a waiting worker while UCX cannot be armed. With a stalled peer whose queue is full, UCX retries in every
 * progress, and gets no event when the queue has capacity. UCX refuses to be armed as long as that lasts. Without
 * pauses the waiting worker would use a whole processor.
 */
final class BusyPause {
    /** Refusals before the first pause: most last for a turn or two. */
    private static final int REFUSALS_MIN = 8;
    /** Number of pauses of one length. */
    private static final int REFUSALS_PER_DOUBLING = 4;

    private static final long SHORTEST_NS = 50_000;
    private static final int DOUBLINGS_MAX = 6;

    private int refusals;

    /** There was an event: retry at once. */
    void reset() {
        refusals = 0;
    }

    /** UCX has refused again, without an event since the last refusal. */
    void pause() {
        if (++refusals > REFUSALS_MIN) {
            int doublings = Math.min((refusals - REFUSALS_MIN) / REFUSALS_PER_DOUBLING, DOUBLINGS_MAX);
            refusals = Math.min(refusals, REFUSALS_MIN + REFUSALS_PER_DOUBLING * DOUBLINGS_MAX);
            LockSupport.parkNanos(this, SHORTEST_NS << doublings);
        }
    }
}
