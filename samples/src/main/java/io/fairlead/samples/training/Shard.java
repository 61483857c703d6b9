package io.fairlead.samples.training;

import java.util.Arrays;
import java.util.Random;

/**
 * The rows that one worker looks at: its part of each batch. The rows are shuffled anew each time that all have had their turn, in
 * the same way in every process. One thread at a time.
 */
final class Shard {
    private final StrikeTable table;
    private final Chunks parts;
    private final int rank;
    private final int batchesPerPass;
    private final int[] order;
    private int pass = -1;

    Shard(StrikeTable table, int rank, int workers) {
        this.table = table;
        this.rank = rank;
        parts = new Chunks(TrainingSettings.BATCH, workers);
        batchesPerPass = table.trained() / TrainingSettings.BATCH;
        order = new int[table.trained()];
    }

    /**
     * How long the vector is that {@link #gradient} fills: the gradient, and behind it the loss, so that whoever adds up the gradients
     * gets the loss of the whole batch with them.
     */
    static int gradientLength(Network network) {
        return network.weights().length + 1;
    }

    /** Fills a vector with what this worker's rows of a step say. */
    void gradient(int step, Network network, float[] gradient) {
        shuffleFor(step / batchesPerPass);
        Arrays.fill(gradient, 0);
        int first = step % batchesPerPass * TrainingSettings.BATCH + parts.offset(rank);
        double loss = 0;
        for (int i = first; i < first + parts.length(rank); i++) {
            int row = order[i];
            loss += network.learn(table.features(row), table.damaged(row), gradient);
        }
        gradient[gradient.length - 1] = (float) loss;
    }

    private void shuffleFor(int wanted) {
        if (wanted == pass) {
            return;
        }
        pass = wanted;
        Random random = new Random(TrainingSettings.SEED + wanted);
        for (int i = 0; i < order.length; i++) {
            int swapped = random.nextInt(i + 1);
            order[i] = order[swapped];
            order[swapped] = i;
        }
    }
}
