package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class TlsCostTest {
    /** Real processes and keys; the figures are not judged, only that each was taken. */
    @Test
    void shouldMeasureEveryContestantInTurns() {
        List<TlsContestant> contestants = TlsCommand.contestants();
        Map<TlsContestant, TlsCost.Result> results =
                new TlsCost(new TlsTurn(1, 5, 6), 0, 2, contestants, line -> {}).run();
        assertEquals(Set.copyOf(contestants), results.keySet());
        for (TlsCost.Result result : results.values()) {
            for (List<Double> figures : List.of(result.connectMs, result.halfRoundTripUs, result.gigabytesPerSecond)) {
                assertEquals(2, figures.size());
                assertTrue(figures.stream().allMatch(figure -> figure > 0), figures::toString);
            }
        }
    }
}
