package io.fairlead.cli.pubsub;

import java.util.concurrent.TimeUnit;

/** Says when the next message is due, so that they leave at an even rate; what was missed is made up for. */
public final class Pace {
    private static final double SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    private final double intervalNs;
    private final long startNs;

    /**
     * Starts now.
     *
     * @param perSecond messages per second, 0 for as many as can be
     * @param startNs {@link System#nanoTime()} of the first message
     */
    public Pace(double perSecond, long startNs) {
        this.intervalNs = perSecond == 0 ? 0 : SECOND_NS / perSecond;
        this.startNs = startNs;
    }

    /**
     * How long a message has to wait.
     *
     * @param index which message, counted from 0
     * @param nowNs {@link System#nanoTime()}
     * @return nanoseconds; 0 or less if it is due
     */
    public long waitNs(long index, long nowNs) {
        return startNs + (long) (index * intervalNs) - nowNs;
    }
}
