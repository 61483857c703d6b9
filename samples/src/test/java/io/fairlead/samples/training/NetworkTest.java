package io.fairlead.samples.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class NetworkTest {
    private static final int FEATURES = 5;
    private static final int[] ROW = {0, 2, 3};

    @Test
    void shouldFindTheSlopeOfTheLossForEveryWeight() {
        Network network = new Network(FEATURES);
        float[] gradient = new float[network.weights().length];
        network.learn(ROW, true, gradient);
        float step = 1e-3f;
        for (int i = 0; i < gradient.length; i++) {
            double slope = (lossWith(network, i, step) - lossWith(network, i, -step)) / (2 * step);
            assertEquals(slope, gradient[i], 1e-3, "weight " + i);
        }
    }

    private static double lossWith(Network network, int weight, float change) {
        float before = network.weights()[weight];
        network.weights()[weight] = before + change;
        double loss = Network.loss(network.logit(ROW), true);
        network.weights()[weight] = before;
        return loss;
    }

    @Test
    void shouldAddWhatEachRowSays() {
        Network network = new Network(FEATURES);
        float[] once = new float[network.weights().length];
        float[] twice = new float[network.weights().length];
        double loss = network.learn(ROW, false, once);
        network.learn(ROW, false, twice);
        assertEquals(loss, network.learn(ROW, false, twice));
        for (int i = 0; i < once.length; i++) {
            assertEquals(2 * once[i], twice[i]);
        }
    }

    @Test
    void shouldComeCloserToTheAnswerByAStep() {
        Network network = new Network(FEATURES);
        float[] gradient = new float[network.weights().length];
        double before = network.learn(ROW, true, gradient);
        network.descend(gradient, 0.1f);
        assertTrue(Network.loss(network.logit(ROW), true) < before);
    }

    @Test
    void shouldKnowTheLossFarFromZeroToo() {
        assertEquals(StrictMath.log(2), Network.loss(0, true), 1e-15);
        assertEquals(1000, Network.loss(-1000, true));
        assertEquals(0, Network.loss(-1000, false));
        assertEquals(1000, Network.loss(1000, false));
    }
}
