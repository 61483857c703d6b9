package io.fairlead.transport.ucx;

/**
 * What one endpoint does by RDMA beside what it asks of its peer, and the fences between them: UCX orders its own operations alone. What
 * is asked behind a fence waits for a flush of what RDMA did before; what RDMA is to do behind a fence, while something that was asked
 * before has no answer, is asked too.
 */
final class RdmaOrder {
    /** Puts and gets by RDMA so far. */
    private long touched;
    /** How many of them were before the last fence, before a flush that has ended, and before the flush that is waited for. */
    private long fenced;

    private long flushed;
    private long awaited;
    /** Signals of puts that were before the last fence. */
    private long fencedSignals;
    /** Something was put or got since the last flush was posted. */
    private boolean unflushed;
    /** What was asked before the last fence may still be without an answer. */
    private boolean asked;

    void recordTouch() {
        touched++;
        unflushed = true;
    }

    /** Whether anything was put or got that no flush has told to be done. */
    boolean hasUnseen() {
        return touched > flushed;
    }

    boolean hasUnflushed() {
        return unflushed;
    }

    /** A flush is posted: what it is behind, to be told when it has ended. */
    long flushes() {
        unflushed = false;
        return touched;
    }

    void flushed(long turn) {
        flushed = Math.max(flushed, turn);
    }

    void fence(long signals) {
        asked = true;
        fenced = touched;
        fencedSignals = signals;
    }

    /** Whether RDMA may be used, which overtakes what was asked and has no answer; {@code idle} tells that there is no such thing. */
    boolean mayTouch(boolean idle) {
        asked &= !idle;
        return !asked;
    }

    /** Something is about to be asked: whether it needs a flush that nobody has posted. */
    boolean needsFlush() {
        if (fenced <= Math.max(flushed, awaited)) {
            return false;
        }
        awaited = touched;
        return true;
    }

    /** Whether what RDMA did before the fence is visible, and its signals are among the so many that have left. */
    boolean mayAsk(long signalsLeft) {
        return awaited <= flushed && signalsLeft >= fencedSignals;
    }
}
