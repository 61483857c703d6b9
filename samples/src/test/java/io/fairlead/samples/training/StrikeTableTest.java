package io.fairlead.samples.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class StrikeTableTest {
    private final StrikeTable table = StrikeTable.load();

    @Test
    void shouldHoldTheLaterRowsOut() {
        assertEquals(10_000, table.size());
        assertEquals(8_000, table.trained());
    }

    /** Counted with another program. */
    @Test
    void shouldKnowTheStrikesThatDidDamage() {
        assertEquals(
                1061, IntStream.range(0, table.size()).filter(table::damaged).count());
    }

    @Test
    void shouldGiveEachColumnOneFeature() {
        for (int row = 0; row < table.size(); row++) {
            int[] features = table.features(row);
            assertEquals(8, features.length);
            assertEquals(8, Arrays.stream(features).distinct().count());
            assertTrue(Arrays.stream(features).allMatch(feature -> feature >= 0 && feature < table.featureCount()));
        }
    }

    @Test
    void shouldTellRowsApartByWhatIsKnownOfThem() {
        // The fourth and fifth line of the file: another airport, aircraft and size, and the same phase, light, month
        // and speed.
        int[] third = table.features(2);
        int[] sixth = table.features(5);
        assertNotEquals(Arrays.toString(third), Arrays.toString(sixth));
        assertEquals(third[2], sixth[2]);
        assertArrayEquals(third, StrikeTable.load().features(2));
    }

    @Test
    void shouldLearnSomethingAboutRowsThatItHasNotSeen() {
        TrainingSettings settings = new TrainingSettings(1, 500, io.fairlead.PathPolicy.AUTO);
        TrainedWeights trained = new SingleProcess(settings, table).run(() -> false);
        Score score = Score.of(table, trained.weights());
        assertTrue(score.loss() < 0.9 * score.baseLoss(), score::toString);
        assertTrue(score.auc() > 0.75, score::toString);
    }

    @Test
    void shouldScoreGuessingAsGuessing() {
        Score score = Score.of(table, new float[Network.weightCount(table.featureCount())]);
        assertEquals(StrictMath.log(2), score.loss(), 1e-12);
        assertEquals(0.5, score.auc());
    }
}
