package io.fairlead.samples.training;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a distributed run ended with.
 *
 * @param steps how many there were
 * @param workers what each worker ended with, in the order of their ranks
 */
public record TrainingResult(int steps, List<WorkerResult> workers) {
    private static final double MICROSECOND_NS = 1000;

    /**
     * What one worker ended with.
     *
     * @param trained its weights, as they were got out of its memory
     * @param sumNs how much of the time went into adding up, in nanoseconds
     * @param path the way to its right neighbour
     */
    public record WorkerResult(TrainedWeights trained, long sumNs, RingPath path) {}

    /** Copies the list. */
    public TrainingResult {
        workers = List.copyOf(workers);
    }

    /**
     * How fast the slowest worker was.
     *
     * @return steps per second, from the first step to the last
     */
    public double stepsPerSecond() {
        long slowestNs = workers.stream()
                .mapToLong(worker -> worker.trained().elapsedNs())
                .max()
                .orElseThrow();
        return steps * (double) TimeUnit.SECONDS.toNanos(1) / slowestNs;
    }

    /**
     * How long it took to add up the gradients of a step, waiting for the slowest included.
     *
     * @return microseconds, the mean over all steps and workers
     */
    public double sumUs() {
        return workers.stream().mapToLong(WorkerResult::sumNs).average().orElseThrow() / steps / MICROSECOND_NS;
    }
}
