package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.perf.Leader.Round;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PerfGoalsTest {
    private static Round round(double medianUs, double rate, long allocated) {
        return new Round(medianUs, medianUs, rate, allocated);
    }

    private static PerfResult.Series series(Round... rounds) {
        return new PerfResult.Series(List.of(rounds), 100, Optional.empty());
    }

    private static PerfResult result(PerfTest test, int size, PerfResult.Series c, PerfResult.Series fairlead) {
        Map<String, PerfResult.Series> subjects = new LinkedHashMap<>();
        subjects.put(PerfResult.PERFTEST, c);
        subjects.put(PerfServer.FAIRLEAD, fairlead);
        return new PerfResult(new PerfCase(test, size, 1), 1, subjects);
    }

    private static Goal goal(PerfResult result, String id) {
        return PerfGoals.of(result).stream()
                .filter(goal -> goal.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldTakeTheMedianOfTheRatiosOfRounds() {
        PerfResult result = result(
                PerfTest.TAG_LAT,
                8,
                series(round(1, 0, 0), round(2, 0, 0), round(10, 0, 0)),
                series(round(1.2, 0, 0), round(2.2, 0, 0), round(30, 0, 0)));
        assertEquals(1.2, goal(result, "tag-lat-8B-p50-limit").value(), 1e-9);
        assertTrue(goal(result, "tag-lat-8B-p50-limit").met());
        assertFalse(goal(result, "tag-lat-8B-p50-goal").met());
        Spread ratio = result.ratio(PerfResult.PERFTEST).orElseThrow();
        assertEquals(1.1, ratio.least(), 1e-9);
        assertEquals(3, ratio.greatest(), 1e-9);
    }

    @Test
    void shouldWantRatesToBeAtLeastSo() {
        PerfResult result = result(PerfTest.TAG_BW, 8, series(round(0, 100, 0)), series(round(0, 70, 0)));
        Goal limit = goal(result, "tag-bw-8B-rate-limit");
        assertEquals("at least", limit.bound());
        assertTrue(limit.met());
        assertFalse(goal(result, "tag-bw-8B-rate-goal").met());
    }

    @Test
    void shouldCompareMeansWhereMediansAreFewStepsOfAClock() {
        PerfResult result =
                result(PerfTest.GET_LAT, 8, series(new Round(0.02, 0.03, 0, 0)), series(new Round(0.04, 0.042, 0, 0)));
        assertEquals(1.4, goal(result, "get-lat-8B-mean-limit").value(), 1e-9);
        assertTrue(goal(result, "get-lat-8B-mean-limit").met());
    }

    @Test
    void shouldMissTheGoalOfNoAllocationByAnyByte() {
        PerfResult none = result(PerfTest.FADD, 8, series(round(1, 0, 0)), series(round(1, 0, 0)));
        PerfResult some = result(PerfTest.FADD, 8, series(round(1, 0, 0)), series(round(1, 0, 1)));
        assertTrue(goal(none, "fadd-8B-allocation").met());
        assertFalse(goal(some, "fadd-8B-allocation").met());
        assertEquals(0.01, goal(some, "fadd-8B-allocation").value(), 1e-9);
    }

    @Test
    void shouldHaveNoRatioWithoutARival() {
        PerfResult alone = new PerfResult(
                new PerfCase(PerfTest.TAG_LAT, 8, 1), 1, Map.of(PerfServer.FAIRLEAD, series(round(1, 0, 0))));
        assertEquals(
                List.of("tag-lat-8B-allocation"),
                PerfGoals.of(alone).stream().map(Goal::id).toList());
    }
}
