package io.fairlead.netty;

import java.util.function.LongSupplier;

/**
 * How many bytes a channel reads in one turn of its loop: about as many as its pipeline works on for {@link #TURN_NS}. What a pipeline writes in answer is
 * flushed when the turn is over. If a turn read all that has come, the peer would be idle during it, and this loop while the peer reads all of the answers. A pipeline that
 * answers nothing gets all, as large as it takes it, because what it works on for each buffer is paid for less often. On the loop's thread.
 */
final class ReadPace {
    /**
     * Below this, what a turn costs by itself is too much of it; and pipelines expect a short message in one piece, though no stream promises that.
     */
    static final int BYTES_MIN = 2 << 10;

    static final int BYTES_MAX = 1 << 20;

    /** Many times what a turn costs by itself, and short beside what a peer can wait for without going to sleep. */
    private static final long TURN_NS = 25_000;
    /** What is longer has been interrupted by other threads, and tells little of the pipeline. */
    private static final long TOOK_NS_MAX = 8 * TURN_NS;
    /** Each turn replaces this part of what is known of those before. */
    private static final int MEMORY = 4;

    private final LongSupplier clockNs;
    private long beganNs;
    private long tookNs = TURN_NS;
    private long hadBytes = 4 << 10;
    private int bytes = 4 << 10;

    ReadPace() {
        this(System::nanoTime);
    }

    ReadPace(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    /** A turn begins; how many bytes it is to read, about. */
    int begin() {
        beganNs = clockNs.getAsLong();
        return bytes;
    }

    /** The same, where the pipeline has written nothing since the turn before began: no peer waits. */
    int beginWithoutAnswers() {
        beganNs = clockNs.getAsLong();
        return BYTES_MAX;
    }

    /** The pipeline has had so many bytes in this turn. */
    void end(int had) {
        if (had > 0) {
            tookNs += Math.min(clockNs.getAsLong() - beganNs, TOOK_NS_MAX) - tookNs / MEMORY;
            hadBytes += had - hadBytes / MEMORY;
            bytes = Math.clamp(TURN_NS * hadBytes / Math.max(1, tookNs), BYTES_MIN, BYTES_MAX);
        }
    }
}
