package io.fairlead.samples.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.PathPolicy;
import org.junit.jupiter.api.Test;

final class ShardTest {
    private static final StrikeTable TABLE = StrikeTable.load();

    @Test
    void shouldCutWithoutGapOrOverlap() {
        for (int count = 1; count <= 7; count++) {
            Chunks chunks = new Chunks(19, count);
            int next = 0;
            for (int chunk = 0; chunk < count; chunk++) {
                assertEquals(next, chunks.offset(chunk));
                assertEquals(true, chunks.length(chunk) <= chunks.longest());
                next += chunks.length(chunk);
            }
            assertEquals(19, next);
        }
    }

    /** The loss at the end of the vector tells which rows were looked at. */
    @Test
    void shouldLookAtTheSameBatchHoweverManyShareIt() {
        Network network = new Network(TABLE.featureCount());
        for (int step : new int[] {0, 30, 31, 1000}) {
            float whole = loss(network, step, 0, 1);
            float shared = loss(network, step, 0, 3) + loss(network, step, 1, 3) + loss(network, step, 2, 3);
            assertEquals(whole, shared, 1e-3 * whole);
        }
        assertNotEquals(loss(network, 0, 0, 1), loss(network, 1, 0, 1));
        assertNotEquals(loss(network, 0, 0, 1), loss(network, 31, 0, 1), "the second pass has another order");
    }

    @Test
    void shouldComputeTheSameWhateverItComputedBefore() {
        Network network = new Network(TABLE.featureCount());
        float[] fresh = new float[Shard.gradientLength(network)];
        float[] used = fresh.clone();
        new Shard(TABLE, 1, 2).gradient(40, network, fresh);
        Shard shard = new Shard(TABLE, 1, 2);
        shard.gradient(0, network, used);
        shard.gradient(40, network, used);
        assertArrayEquals(fresh, used);
    }

    private static float loss(Network network, int step, int rank, int workers) {
        float[] gradient = new float[Shard.gradientLength(network)];
        new Shard(TABLE, rank, workers).gradient(step, network, gradient);
        return gradient[gradient.length - 1];
    }

    @Test
    void shouldRefuseSettingsOutOfRange() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new TrainingSettings(17, 1, PathPolicy.AUTO));
        assertEquals("setting out of range: workers=17, 1 to 16", refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> new TrainingSettings(0, 1, PathPolicy.AUTO));
        assertThrows(IllegalArgumentException.class, () -> new TrainingSettings(1, 0, PathPolicy.AUTO));
    }
}
