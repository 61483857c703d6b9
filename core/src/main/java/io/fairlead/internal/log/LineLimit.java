package io.fairlead.internal.log;

/**
 * Limits the log lines that peers can cause: anyone who reaches a port can be refused any number of times, and a
 * call-back may throw for each message. The first lines of a period are allowed, and the rest is counted. For one
 * thread.
 */
public final class LineLimit {
    /** The maximum number of lines per period about peers that are refused or dropped. */
    public static final int LINES_MAX = 50;

    /** The length of a period, which begins with a line. */
    public static final long PERIOD_NS = 10_000_000_000L;

    private final int linesMax;
    private long beganNs;
    private int lines;
    private long leftOut;

    /** Allows {@value #LINES_MAX} lines per period. */
    public LineLimit() {
        this(LINES_MAX);
    }

    LineLimit(int linesMax) {
        this.linesMax = linesMax;
    }

    /**
     * Counts a line.
     *
     * @param nowNs the time
     * @return whether it may be written
     */
    public boolean tryWrite(long nowNs) {
        if (lines == 0 || isOver(nowNs)) {
            beganNs = nowNs;
            lines = 0;
        }
        if (lines == linesMax) {
            leftOut++;
            return false;
        }
        lines++;
        return true;
    }

    /**
     * Returns and resets the number of suppressed lines, once their period is over.
     *
     * @param nowNs the time
     * @return the number; 0 if there are none, or the period is not over
     */
    public long takeLeftOut(long nowNs) {
        if (leftOut == 0 || !isOver(nowNs)) {
            return 0;
        }
        long taken = leftOut;
        leftOut = 0;
        return taken;
    }

    private boolean isOver(long nowNs) {
        return nowNs - beganNs >= PERIOD_NS;
    }
}
