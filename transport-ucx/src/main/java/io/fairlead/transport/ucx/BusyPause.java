package io.fairlead.transport.ucx;

import java.util.concurrent.locks.LockSupport;

/**
 * Pauses of a worker that is to wait while UCX cannot. A peer that stands still with a full queue leaves UCX something to try in every progress, and no event
 * when there is room. So UCX refuses to be armed for as long as that lasts, and without a pause the waiting worker would use a whole processor.
 */
final class BusyPause {
    /** Refusals before the first pause: most last for a turn or two. */
    private static final int REFUSALS_MIN = 8;
    /** Pauses of one length. */
    private static final int REFUSALS_PER_DOUBLING = 4;

    private static final long SHORTEST_NS = 50_000;
    private static final int DOUBLINGS_MAX = 6;

    private int refusals;

    /** Something has happened: there is reason to try again at once. */
    void reset() {
        refusals = 0;
    }

    /** UCX has refused once more, and nothing has happened since it was asked last. */
    void pause() {
        if (++refusals > REFUSALS_MIN) {
            int doublings = Math.min((refusals - REFUSALS_MIN) / REFUSALS_PER_DOUBLING, DOUBLINGS_MAX);
            refusals = Math.min(refusals, REFUSALS_MIN + REFUSALS_PER_DOUBLING * DOUBLINGS_MAX);
            LockSupport.parkNanos(this, SHORTEST_NS << doublings);
        }
    }
}
