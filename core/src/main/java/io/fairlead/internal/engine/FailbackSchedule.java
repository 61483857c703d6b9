package io.fairlead.internal.engine;

/**
 * When the listener's side of one endpoint tries to take it back to the lanes that it has left. Attempts that fail, and
 * lanes that fail again, double the delay; time on the lanes halves it. So a lane that flaps is used ever less.
 */
final class FailbackSchedule {
    private static final int LEVEL_MAX = 6;

    private final long firstNs;
    /** How often the delay is doubled. */
    private int level;
    /** On its lanes; else it is away. */
    private boolean back = true;
    /** Since when it is on its lanes; 0 before it left them first. */
    private long backNs;
    /** When it is to try again, unless an attempt is under way. */
    private long dueNs;

    private boolean trying;

    /**
     * For an endpoint on its first lanes.
     *
     * @param firstNs the first delay; 0 for no attempt
     */
    FailbackSchedule(long firstNs) {
        this.firstNs = firstNs;
    }

    private long delayNs() {
        return firstNs << level;
    }

    /** It has left its lanes. */
    void leave(long nowNs) {
        if (backNs != 0) {
            long heldNs = nowNs - backNs;
            while (level > 0 && heldNs >= delayNs()) {
                heldNs -= delayNs();
                level--;
            }
            raise();
        }
        back = false;
        trying = false;
        dueNs = nowNs + delayNs();
    }

    /** An attempt has failed. */
    void stay(long nowNs) {
        raise();
        trying = false;
        dueNs = nowNs + delayNs();
    }

    private void raise() {
        level = Math.min(level + 1, LEVEL_MAX);
    }

    /** It is on its lanes again. */
    void comeBack(long nowNs) {
        back = true;
        trying = false;
        backNs = nowNs;
    }

    /** Whether an attempt is to begin now; true once. */
    boolean tryTake(long nowNs) {
        if (back || trying || firstNs == 0 || nowNs - dueNs < 0) {
            return false;
        }
        trying = true;
        return true;
    }

    /** Whether attempts will be due. */
    boolean isWaiting() {
        return !back && firstNs > 0;
    }
}
