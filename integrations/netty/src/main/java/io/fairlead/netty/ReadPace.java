package io.fairlead.netty;

import java.util.function.LongSupplier;

/**
 * How many bytes a channel reads in one turn of its loop: about as many as its pipeline processes in {@link #TURN_NS}. The pipeline's answers are flushed at
 * the end of the turn. If a turn read everything, the peer would be idle during the turn, and this loop would be idle while the peer reads the answers.
 * A pipeline that answers nothing reads as much as there is, because larger buffers spread its cost per buffer. On the loop's thread.
 */
final class ReadPace {
    /**
     * With fewer bytes, the fixed cost of a turn is too large a part of it. Pipelines also expect a short message in one piece, although no stream
     * promises that.
     */
    static final int BYTES_MIN = 2 << 10;

    static final int BYTES_MAX = 1 << 20;

    /** Many times the fixed cost of a turn, and much shorter than a peer spins before it blocks. */
    private static final long TURN_NS = 25_000;
    /** A longer turn was interrupted by other threads, and says little about the pipeline. */
    private static final long TOOK_NS_MAX = 8 * TURN_NS;
    /** The newest turn has a weight of one part in so many in the averages. */
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

    /** A turn begins; returns about how many bytes it should read. */
    int begin() {
        beganNs = clockNs.getAsLong();
        return bytes;
    }

    /** As {@link #begin()}, if the pipeline has written nothing since the previous turn began, so that no peer waits for an answer. */
    int beginWithoutAnswers() {
        beganNs = clockNs.getAsLong();
        return BYTES_MAX;
    }

    /** The turn ends; the pipeline has received so many bytes in it. */
    void end(int had) {
        if (had > 0) {
            tookNs += Math.min(clockNs.getAsLong() - beganNs, TOOK_NS_MAX) - tookNs / MEMORY;
            hadBytes += had - hadBytes / MEMORY;
            bytes = Math.clamp(TURN_NS * hadBytes / Math.max(1, tookNs), BYTES_MIN, BYTES_MAX);
        }
    }
}
