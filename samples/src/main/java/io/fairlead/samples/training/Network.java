package io.fairlead.samples.training;

import java.util.Random;

/**
 * A network with one hidden layer that estimates how likely it is that a strike did damage.
 *
 * <p>All weights are in one vector, as the gradient is, because that is what the processes of a run add up. The arithmetic is that
 * of Java's {@code float} and {@code double}, which is the same on every processor, and {@link StrictMath}, so that the same rows in
 * the same order give the same bits everywhere. One thread at a time.
 */
final class Network {
    private static final int HIDDEN = 32;
    private static final float INITIAL_MAX = 0.2f;

    private final int hiddenBias;
    private final int output;
    private final int outputBias;
    private final float[] weights;
    private final float[] activation = new float[HIDDEN];

    /** Makes a network whose weights are small and random, and the same each time. */
    Network(int featureCount) {
        this(featureCount, new float[weightCount(featureCount)]);
        Random random = new Random(TrainingSettings.SEED);
        for (int i = 0; i < hiddenBias; i++) {
            weights[i] = (2 * random.nextFloat() - 1) * INITIAL_MAX;
        }
        for (int i = output; i < outputBias; i++) {
            weights[i] = (2 * random.nextFloat() - 1) * INITIAL_MAX;
        }
    }

    /** Makes a network of weights that were trained. */
    Network(int featureCount, float[] weights) {
        hiddenBias = featureCount * HIDDEN;
        output = hiddenBias + HIDDEN;
        outputBias = output + HIDDEN;
        this.weights = weights;
    }

    static int weightCount(int featureCount) {
        return featureCount * HIDDEN + HIDDEN + HIDDEN + 1;
    }

    /** The weights; a view. */
    float[] weights() {
        return weights;
    }

    /** Adds what a row says about each weight to the gradient, and returns the loss of the row. */
    double learn(int[] features, boolean damaged, float[] gradient) {
        double logit = logit(features);
        float error = (float) (probability(logit) - (damaged ? 1 : 0));
        gradient[outputBias] += error;
        for (int h = 0; h < HIDDEN; h++) {
            if (activation[h] > 0) {
                gradient[output + h] += error * activation[h];
                float hiddenError = error * weights[output + h];
                gradient[hiddenBias + h] += hiddenError;
                for (int feature : features) {
                    gradient[feature * HIDDEN + h] += hiddenError;
                }
            }
        }
        return loss(logit, damaged);
    }

    /** Moves every weight against its part of a gradient. */
    void descend(float[] gradient, float rate) {
        for (int i = 0; i < weights.length; i++) {
            weights[i] -= rate * gradient[i];
        }
    }

    /** Positive where damage is likelier than none; the greater, the likelier. Leaves what the hidden layer makes of the row behind. */
    double logit(int[] features) {
        System.arraycopy(weights, hiddenBias, activation, 0, HIDDEN);
        for (int feature : features) {
            for (int h = 0; h < HIDDEN; h++) {
                activation[h] += weights[feature * HIDDEN + h];
            }
        }
        float logit = weights[outputBias];
        for (int h = 0; h < HIDDEN; h++) {
            activation[h] = Math.max(0, activation[h]);
            logit += weights[output + h] * activation[h];
        }
        return logit;
    }

    /** The cross entropy of a prediction and the answer. */
    static double loss(double logit, boolean damaged) {
        return StrictMath.log1p(StrictMath.exp(-Math.abs(logit))) + Math.max(damaged ? -logit : logit, 0);
    }

    private static double probability(double logit) {
        return 1 / (1 + StrictMath.exp(-logit));
    }
}
