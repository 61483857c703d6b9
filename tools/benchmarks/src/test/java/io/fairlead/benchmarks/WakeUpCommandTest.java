package io.fairlead.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.Turn;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** That the comparison runs with all contestants. How soon anybody wakes, no test asks. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class WakeUpCommandTest {
    @Test
    void shouldMeasureEveryContestantAndTheRest() throws IOException {
        WakeUpCommand.Result result =
                WakeUpCommand.measure(new WakeUpCommand.Plan(5, 2, 3, 1_000_000, 50_000_000), _ -> {});
        List<String> subjects = List.copyOf(result.turns().keySet());
        assertEquals(3, subjects.size());
        assertEquals(List.of("bare-selector", "fairlead-tcp"), subjects.subList(0, 2));
        for (List<Turn> turns : result.turns().values()) {
            assertEquals(2, turns.size());
            assertTrue(turns.stream().allMatch(turn -> turn.p50Us() > 0), turns::toString);
        }
        assertTrue(result.idlePercent() >= 0, result::toString);
    }
}
