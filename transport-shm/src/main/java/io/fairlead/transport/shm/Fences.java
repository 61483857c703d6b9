package io.fairlead.transport.shm;

import io.fairlead.spi.served.RemoteRequester;

/**
 * What fences mean between the two ways of reaching a peer's memory: what is copied here and now, and what is asked of the peer, which it does when it
 * comes round to it. Each way keeps its own order.
 */
final class Fences {
    /** Signals of puts over mapped memory: how many there have been, and how many of them have left. */
    private long signals;

    private long signalsLeft;
    /** How many there were before the last fence. */
    private long fencedSignals;

    private long fencedCopies;
    /** What was asked before the last fence may still be without an answer. */
    private boolean asked;

    void addSignal() {
        signals++;
    }

    void removeSignal() {
        signalsLeft++;
    }

    /** A fence, behind so many operations that were taken for copying. */
    void fence(long copies) {
        asked = true;
        fencedSignals = signals;
        fencedCopies = copies;
    }

    /** Whether memory may be touched, which overtakes what {@code asking} has no answer to. That is looked at behind a fence only: gets pass here. */
    boolean mayTouch(RemoteRequester requester) {
        if (asked) {
            asked = !requester.isIdle();
        }
        return !asked;
    }

    /** Whether the peer may be asked: of what was before the fence the signals have left, and so many copies are done. */
    boolean mayAsk(long copiesDone) {
        return signalsLeft >= fencedSignals && copiesDone >= fencedCopies;
    }
}
