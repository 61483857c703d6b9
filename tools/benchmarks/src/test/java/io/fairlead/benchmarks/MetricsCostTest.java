package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.PathPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with both contestants, of which one is scraped. What it costs, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MetricsCostTest {
    @Test
    void shouldMeasureBothContestantsInEveryRound() {
        List<String> progress = new ArrayList<>();
        Schedule schedule = new Schedule(List.of(MetricsCost.SIZE), 1, 4, 128);
        MetricsCost.Case test = new MetricsCost.Case("tcp-latency", PathPolicy.TCP_ONLY, schedule);
        MetricsCost.Result result = new MetricsCost(test, progress::add).run();
        assertEquals(4, result.on().size());
        assertEquals(4, result.ratios().size());
        assertTrue(result.on().stream().allMatch(figure -> figure > 0), result::toString);
        assertTrue(result.off().stream().allMatch(figure -> figure > 0), result::toString);
        assertEquals("tcp", result.path().transport());
        assertTrue(result.scrapes() > 0, result::toString);
        assertEquals(5, progress.size());
    }
}
