package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class TlsCostTest {
    /** Real processes and keys; the figures are not judged, only that each was taken. */
    @Test
    void shouldMeasureEveryContestantInTurns() {
        List<TlsContestant> contestants = TlsCommand.contestants();
        TlsCost.Results results = new TlsCost(new TlsTurn(1, 5, 6), 0, 2, contestants, line -> {}).run();
        assertEquals(
                contestants,
                results.all().stream().map(TlsCost.Result::contestant).toList());
        for (TlsCost.Result result : results.all()) {
            for (List<Double> figures : List.of(result.connectMs, result.halfRoundTripUs, result.gigabytesPerSecond)) {
                assertEquals(2, figures.size());
                assertTrue(figures.stream().allMatch(figure -> figure > 0), figures::toString);
            }
        }
    }
}
