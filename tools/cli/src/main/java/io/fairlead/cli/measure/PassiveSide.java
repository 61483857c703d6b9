package io.fairlead.cli.measure;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * How the side waits whose memory is read: as that of {@code ucx_perftest} does, it looks once a millisecond and sleeps in between, so that it does not take
 * from the other what two processors share. Not every transport leaves it out, though: it begins to sleep after a millisecond without work.
 */
public final class PassiveSide {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final IntSupplier progress;
    private final BooleanSupplier over;

    /**
     * One that waits for the same thing again and again.
     *
     * @param progress makes progress, and says how much
     * @param over whether that is all
     */
    public PassiveSide(IntSupplier progress, BooleanSupplier over) {
        this.progress = progress;
        this.over = over;
    }

    /** Waits. */
    public void await() {
        long workedNs = System.nanoTime();
        while (!over.getAsBoolean()) {
            if (progress.getAsInt() > 0) {
                workedNs = System.nanoTime();
            } else if (System.nanoTime() - workedNs > LOOK_NS) {
                LockSupport.parkNanos(LOOK_NS);
            }
        }
    }
}
