package io.fairlead.transport.shm;

import io.fairlead.spi.served.RemoteRequester;

/**
 * The effect of fences between the two ways to a peer's memory: direct copies, and requests that the peer serves later.
 * Each way keeps its own order.
 */
final class Fences {
    /** The number of signals of puts over mapped memory, and the number of sent ones. */
    private long signals;

    private long signalsLeft;
    /** The number of signals before the last fence. */
    private long fencedSignals;

    private long fencedCopies;
    /** Requests before the last fence may be unanswered. */
    private boolean asked;

    void addSignal() {
        signals++;
    }

    void removeSignal() {
        signalsLeft++;
    }

    /** A fence after the given number of accepted copies. */
    void fence(long copies) {
        asked = true;
        fencedSignals = signals;
        fencedCopies = copies;
    }

    /**
     * Whether memory may be accessed directly, which overtakes the requester's unanswered requests. Only checked behind
     * a fence: gets need no check.
     */
    boolean mayTouch(RemoteRequester requester) {
        if (asked) {
            asked = !requester.isIdle();
        }
        return !asked;
    }

    /** Whether requests may be sent: the signals before the fence are sent, and the given number of copies is done. */
    boolean mayAsk(long copiesDone) {
        return signalsLeft >= fencedSignals && copiesDone >= fencedCopies;
    }
}
