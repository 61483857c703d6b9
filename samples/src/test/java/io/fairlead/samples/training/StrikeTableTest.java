package io.fairlead.samples.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.PathPolicy;
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

    /** The number is of another program that counted. */
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

    /** The third and the sixth row: the same airport, phase, species, size and light, and another aircraft, month and speed. */
    @Test
    void shouldTellRowsApartByWhatIsKnownOfThem() {
        int[] third = table.features(2);
        int[] sixth = table.features(5);
        for (int column : new int[] {0, 2, 3, 4, 5}) {
            assertEquals(third[column], sixth[column]);
        }
        for (int column : new int[] {1, 6, 7}) {
            assertNotEquals(third[column], sixth[column]);
        }
        assertArrayEquals(third, StrikeTable.load().features(2));
    }

    @Test
    void shouldLearnSomethingAboutRowsThatItHasNotSeen() {
        TrainingSettings settings = new TrainingSettings(1, 500, PathPolicy.AUTO);
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
