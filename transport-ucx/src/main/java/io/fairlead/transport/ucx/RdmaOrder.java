package io.fairlead.transport.ucx;

/**
 * The order of one endpoint's RDMA operations and its requests to the peer, with fences between them: UCX orders only
 * its own operations. A request after a fence waits for a flush of the RDMA operations before it. An RDMA operation
 * after a fence becomes a request while an earlier request is unanswered.
 */
final class RdmaOrder {
    /** The number of puts and gets by RDMA. */
    private long touched;
    /** The number of them before the last fence, before an ended flush, and before the pending flush. */
    private long fenced;

    private long flushed;
    private long awaited;
    /** The number of signals of puts before the last fence. */
    private long fencedSignals;
    /** There was a put or get since the last flush was posted. */
    private boolean unflushed;
    /** A request before the last fence may be unanswered. */
    private boolean asked;

    void recordTouch() {
        touched++;
        unflushed = true;
    }

    /** Whether there was a put or get that no flush has completed. */
    boolean hasUnseen() {
        return touched > flushed;
    }

    boolean hasUnflushed() {
        return unflushed;
    }

    /** A flush is posted: returns its position, for the call at its end. */
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

    /** Whether RDMA may be used, which overtakes unanswered requests; {@code idle} means that there are none. */
    boolean mayTouch(boolean idle) {
        asked &= !idle;
        return !asked;
    }

    /** Before a request: whether it needs a flush that is not posted. */
    boolean needsFlush() {
        if (fenced <= Math.max(flushed, awaited)) {
            return false;
        }
        awaited = touched;
        return true;
    }

    /**
     * Whether the RDMA operations before the fence are visible, and their signals are among the given number of sent
     * ones.
     */
    boolean mayAsk(long signalsLeft) {
        return awaited <= flushed && signalsLeft >= fencedSignals;
    }
}
