package io.fairlead.samples.training;

import java.util.OptionalInt;

/** A training could not come to its end. */
public final class TrainingException extends RuntimeException {
    /** Stands for no rank. */
    static final int NOBODY = -1;

    private static final long serialVersionUID = 1L;

    private final int rank;
    private final boolean unreachable;

    private TrainingException(int rank, boolean unreachable, String message) {
        super(message);
        this.rank = rank;
        this.unreachable = unreachable;
    }

    /** No worker is to blame, or nobody knows which. */
    static TrainingException of(String message) {
        return new TrainingException(NOBODY, false, message);
    }

    /** That worker was lost, or has failed. */
    static TrainingException ofWorker(int rank, String message) {
        return new TrainingException(rank, false, message);
    }

    /** The coordinator never was there. */
    static TrainingException ofUnreachable(String message) {
        return new TrainingException(NOBODY, true, message);
    }

    /**
     * Whether the coordinator could not be reached, so that another attempt may find it.
     *
     * @return false for what went wrong later
     */
    public boolean isUnreachable() {
        return unreachable;
    }

    /**
     * Which worker was lost or has failed.
     *
     * @return its rank; empty where it is not known
     */
    public OptionalInt rank() {
        return rank == NOBODY ? OptionalInt.empty() : OptionalInt.of(rank);
    }
}
