package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants. How soon anybody wakes, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WakeUpTest {
    @Test
    void shouldMeasureEveryContestantAndTheRest() {
        try (WakeUp wakeUp = new WakeUp(new WakeUp.Plan(5, 2, 3, 1_000_000, 50_000_000), line -> {})) {
            WakeUp.Result result = wakeUp.run();
            assertEquals(
                    List.of("bare-selector", "fairlead-tcp"),
                    result.times().subList(0, 2).stream()
                            .map(WakeUp.Times::subject)
                            .toList());
            assertEquals(3, result.times().size());
            for (WakeUp.Times times : result.times()) {
                assertEquals(2, times.medians().size());
                assertTrue(times.medians().stream().allMatch(median -> median > 0), times::toString);
            }
            assertTrue(result.idlePercent() >= 0, result::toString);
        }
    }
}
