package io.fairlead.cli.train;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fairlead.samples.training.RingPath;
import io.fairlead.samples.training.Score;
import io.fairlead.samples.training.TrainingResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code fairlead train --json} prints.
 *
 * @param workers how many processes there were in a run
 * @param steps how often the weights changed
 * @param weights how many there are
 * @param runs one for each path
 * @param singleProcess the same in one process, with the same order of summation
 * @param heldOut how good the weights are on rows that they were not trained on
 * @param ok whether there was a run, and each ended with the weights of the single process, bit for bit
 */
public record TrainReport(
        int workers, int steps, int weights, List<Run> runs, Reference singleProcess, Score heldOut, boolean ok) {
    /**
     * A distributed run.
     *
     * @param policy which paths there could be
     * @param stepsPerSecond of the slowest worker
     * @param allReduceUs how long it took to add up the gradients of a step, on average
     * @param weightsHash the SHA-256 over the bits of the weights of each worker
     * @param identical whether all of them equal the single process's weights
     * @param pairs the ring
     * @param unavailable why there was no run
     */
    public record Run(
            String policy,
            double stepsPerSecond,
            double allReduceUs,
            List<String> weightsHash,
            boolean identical,
            List<Pair> pairs,
            @JsonInclude(JsonInclude.Include.NON_ABSENT) Optional<String> unavailable) {
        static Run unavailable(String policy, String cause) {
            return new Run(policy, 0, 0, List.of(), false, List.of(), Optional.of(cause));
        }

        static Run of(String policy, TrainingResult result, String expectedHash) {
            List<String> hashes = result.workers().stream()
                    .map(worker -> worker.trained().hash())
                    .toList();
            return new Run(
                    policy,
                    result.stepsPerSecond(),
                    result.sumUs(),
                    hashes,
                    hashes.stream().allMatch(expectedHash::equals),
                    pairs(result),
                    Optional.empty());
        }

        private static List<Pair> pairs(TrainingResult result) {
            List<Pair> pairs = new ArrayList<>();
            int workers = result.workers().size();
            for (int rank = 0; rank < workers && workers > 1; rank++) {
                pairs.add(new Pair(
                        rank, (rank + 1) % workers, result.workers().get(rank).path()));
            }
            return pairs;
        }

        /** The transports of its pairs, each once. */
        String transports() {
            List<String> names = pairs.stream()
                    .map(pair -> pair.path().transport())
                    .distinct()
                    .toList();
            return names.isEmpty() ? "alone" : String.join(", ", names);
        }
    }

    /**
     * Two neighbours.
     *
     * @param from the rank of the one that puts
     * @param to the rank of its right neighbour
     * @param path the way between them
     */
    public record Pair(int from, int to, RingPath path) {}

    /**
     * The run in one process.
     *
     * @param stepsPerSecond how fast it was
     * @param weightsHash the SHA-256 over the bits of its weights
     */
    public record Reference(double stepsPerSecond, String weightsHash) {}
}
