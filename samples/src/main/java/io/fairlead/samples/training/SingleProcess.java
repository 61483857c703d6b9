package io.fairlead.samples.training;

import java.util.function.BooleanSupplier;

/**
 * The same training in one thread, without any network: what the distributed one must end with, bit for bit.
 *
 * <p>Adding {@code float} numbers in another order gives other bits. So this adds up the vectors of all workers in the order in which
 * {@link RingSum} does, which is fixed: chunk {@code c} begins with that of worker {@code c} and goes round in the order of the ranks.
 */
public final class SingleProcess {
    private final TrainingSettings settings;
    private final StrikeTable table;
    private final Chunks chunks;
    private final float[][] gradients;
    private final float[] sum;

    /**
     * Prepares a run.
     *
     * @param settings the same settings as for the distributed run; the policy does not matter
     * @param table the rows
     */
    public SingleProcess(TrainingSettings settings, StrikeTable table) {
        this.settings = settings;
        this.table = table;
        int length = Network.weightCount(table.featureCount()) + 1;
        chunks = new Chunks(length, settings.workers());
        gradients = new float[settings.workers()][length];
        sum = new float[length];
    }

    /**
     * Trains.
     *
     * @param stopped asked before each step; ends the training early
     * @return the weights, and how long it took
     */
    public TrainedWeights run(BooleanSupplier stopped) {
        Network network = new Network(table.featureCount());
        Shard[] shards = new Shard[settings.workers()];
        for (int rank = 0; rank < shards.length; rank++) {
            shards[rank] = new Shard(table, rank, shards.length);
        }
        long start = System.nanoTime();
        for (int step = 0; step < settings.steps() && !stopped.getAsBoolean(); step++) {
            for (int rank = 0; rank < shards.length; rank++) {
                shards[rank].gradient(step, network, gradients[rank]);
            }
            addUp();
            network.descend(sum, TrainingSettings.RATE_PER_ROW);
        }
        return new TrainedWeights(network.weights(), System.nanoTime() - start);
    }

    private void addUp() {
        for (int chunk = 0; chunk < chunks.count(); chunk++) {
            int from = chunks.offset(chunk);
            int length = chunks.length(chunk);
            System.arraycopy(gradients[chunk], from, sum, from, length);
            for (int turn = 1; turn < chunks.count(); turn++) {
                float[] next = gradients[(chunk + turn) % chunks.count()];
                for (int i = from; i < from + length; i++) {
                    sum[i] += next[i];
                }
            }
        }
    }
}
