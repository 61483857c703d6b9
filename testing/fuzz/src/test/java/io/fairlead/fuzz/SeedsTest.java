package io.fairlead.fuzz;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The seeds of each surface hold, without Jazzer, so that a harness that is out of date fails at once and says where. */
@Timeout(120)
final class SeedsTest {
    @ParameterizedTest
    @EnumSource(Surface.class)
    void shouldHoldForSeedsAndForWhatIsCutOffThem(Surface surface) {
        Harness harness = surface.open();
        List<byte[]> seeds = harness.seeds();
        assertFalse(seeds.isEmpty());
        for (byte[] seed : seeds) {
            assertTrue(seed.length <= surface.lengthMax(), () -> "a seed is longer than inputs are: " + seed.length);
            FuzzTarget.feed(harness, seed);
            for (int length = 0; length < seed.length; length += 1 + seed.length / 64) {
                FuzzTarget.feed(harness, Arrays.copyOf(seed, length));
            }
        }
    }
}
