package io.fairlead.samples.training;

import io.fairlead.PathPolicy;

/**
 * What the workers of a run have to agree on; the coordinator sends it to them.
 *
 * @param workers how many there are, 1 to {@link #WORKERS_MAX}
 * @param steps how often the weights change, 1 to {@link #STEPS_MAX}
 * @param policy which paths there may be between the workers
 */
public record TrainingSettings(int workers, int steps, PathPolicy policy) {
    /** More would share too few rows of a batch. */
    public static final int WORKERS_MAX = 16;

    /** Hours, on any machine. */
    public static final int STEPS_MAX = 10_000_000;

    /** How many rows a step looks at, over all workers. */
    static final int BATCH = 256;

    /** How far a step follows the gradient, which is the sum over the rows of a batch. */
    static final float RATE_PER_ROW = 0.1f / BATCH;

    /** Where the initial weights and the order of the rows come from, so that every process has the same. */
    static final long SEED = 20_020_725;

    /** Checks the numbers. */
    public TrainingSettings {
        checkRange("workers", workers, WORKERS_MAX);
        checkRange("steps", steps, STEPS_MAX);
    }

    private static void checkRange(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException("setting out of range: " + name + "=" + value + ", 1 to " + max);
        }
    }
}
