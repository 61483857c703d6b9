package io.fairlead.transport.ucx;

/**
 * The order of one endpoint's one-sided operations and its requests to the peer, with fences between them: UCX orders
 * only its own operations. A request after a fence waits for a flush of the one-sided operations before it. A one-sided
 * operation after a fence becomes a request while an earlier request is unanswered. Operations on mapped memory that
 * have ended inside their call are in order already, and are not recorded.
 */
final class OneSidedOrder {
    /** The number of one-sided puts and gets. */
    private long touched;
    /** The number of them before the last fence, before an ended flush, and before the pending flush. */
    private long fenced;

    private long flushed;
    private long awaited;
    /** The number of signals of puts before the last fence. */
    private long fencedSignals;
    /** A request before the last fence may be unanswered. */
    private boolean asked;

    void recordTouch() {
        touched++;
    }

    /** Whether there was a put or get that no flush has completed. */
    boolean hasUnseen() {
        return touched > flushed;
    }

    /** A flush is posted: returns its position, for the call at its end. */
    long flushes() {
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

    /** Whether one-sided operations may be used, which overtake unanswered requests; {@code idle} means that there are none. */
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
     * Whether the one-sided operations before the fence are visible, and their signals are among the given number of sent
     * ones.
     */
    boolean mayAsk(long signalsLeft) {
        return awaited <= flushed && signalsLeft >= fencedSignals;
    }
}
