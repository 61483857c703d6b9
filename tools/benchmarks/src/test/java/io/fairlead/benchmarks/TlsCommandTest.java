package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.TlsSide.Way;
import io.fairlead.cli.measure.Rounds;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
final class TlsCommandTest {
    /** Real processes and keys; the figures are not judged, only that each was taken. */
    @Test
    void shouldMeasureEveryContestantInTurns() throws IOException {
        List<Way> ways = TlsCommand.ways();
        Map<Way, TlsCommand.Result> results =
                TlsCommand.measure(ways, new Rounds.Plan(2, 1_000_000, 0, 5, 6, false), 1, _ -> {});
        assertEquals(ways, List.copyOf(results.keySet()));
        for (TlsCommand.Result result : results.values()) {
            assertEquals(2, result.connectMs().size());
            assertTrue(result.connectMs().stream().allMatch(ms -> ms > 0), result::toString);
            assertTrue(result.small().stream().allMatch(turn -> turn.p50Us() > 0), result::toString);
            assertTrue(result.large().stream().allMatch(turn -> turn.perSecond() > 0), result::toString);
            assertEquals(2, result.large().size());
        }
    }
}
