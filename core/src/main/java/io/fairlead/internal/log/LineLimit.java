package io.fairlead.internal.log;

/**
 * How many lines strangers may put into a log: whoever reaches a port can be refused as often as it likes. The first {@value #LINES_MAX} of a period are
 * let through, and the rest counted. For one thread.
 */
public final class LineLimit {
    /** The most lines of a period. */
    public static final int LINES_MAX = 50;

    /** How long a period is that begins with a line. */
    public static final long PERIOD_NS = 10_000_000_000L;

    private long beganNs;
    private int lines;
    private long leftOut;

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
        if (lines == LINES_MAX) {
            leftOut++;
            return false;
        }
        lines++;
        return true;
    }

    /**
     * Takes the number of lines that were left out, once their period is over.
     *
     * @param nowNs the time
     * @return how many; 0 if there are none, or the period goes on
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
