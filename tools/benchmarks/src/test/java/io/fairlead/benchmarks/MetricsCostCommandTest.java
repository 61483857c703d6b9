package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.PathPolicy;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with both contestants, of which one is scraped. What it costs, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MetricsCostCommandTest {
    @Test
    void shouldMeasureBothContestantsInEveryRound() throws IOException {
        MetricsCostCommand.Result result =
                MetricsCostCommand.measure(new MetricsCostCommand.Case("tcp-latency", PathPolicy.TCP_ONLY, 1, 4, 128));
        assertEquals(4, result.on().size());
        assertEquals(4, result.off().size());
        assertTrue(result.on().stream().allMatch(turn -> turn.p50Us() > 0), result::toString);
        assertTrue(result.off().stream().allMatch(turn -> turn.p50Us() > 0), result::toString);
        assertEquals("tcp", result.transport());
        assertTrue(result.scrapes() > 0, result::toString);
    }
}
