package io.fairlead.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PerfGoalsTest {
    private static Turn turn(double medianUs, double rate, double allocated) {
        return new Turn(rate, medianUs, 0, 0, 0, 0, 0, allocated, 1);
    }

    private static PerfResult result(PerfTest test, int size, List<Turn> c, List<Turn> fairlead) {
        Map<String, List<Turn>> turns = new LinkedHashMap<>();
        turns.put(Perftest.TITLE, c);
        turns.put(PerfResult.FAIRLEAD, fairlead);
        return new PerfResult(Work.of(test, size, 1), turns);
    }

    private static Goal goal(PerfResult result, String id) {
        return PerfReport.goals(result).stream()
                .filter(goal -> goal.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void shouldTakeTheMedianOfTheRatiosOfRounds() {
        PerfResult result = result(
                PerfTest.TAG_LAT,
                8,
                List.of(turn(2, 0, 0), turn(4, 0, 0), turn(20, 0, 0)),
                List.of(turn(2.4, 0, 0), turn(4.4, 0, 0), turn(60, 0, 0)));
        assertEquals(1.2, goal(result, "tag-lat-8B-p50-limit").value(), 1e-9);
        assertTrue(goal(result, "tag-lat-8B-p50-limit").met());
        assertFalse(goal(result, "tag-lat-8B-p50-goal").met());
        Spread ratio = result.spread(result.ratios().getFirst()).orElseThrow();
        assertEquals(1.1, ratio.least(), 1e-9);
        assertEquals(3, ratio.greatest(), 1e-9);
    }

    @Test
    void shouldWantRatesToBeAtLeastSo() {
        PerfResult result = result(PerfTest.TAG_BW, 8, List.of(turn(0, 100, 0)), List.of(turn(0, 70, 0)));
        Goal limit = goal(result, "tag-bw-8B-rate-limit");
        assertEquals("at least", limit.bound());
        assertTrue(limit.met());
        assertFalse(goal(result, "tag-bw-8B-rate-goal").met());
    }

    @Test
    void shouldCompareMeansWhereMediansAreFewStepsOfAClock() {
        PerfResult result =
                result(PerfTest.GET_LAT, 8, List.of(turn(0.02, 1e6 / 0.03, 0)), List.of(turn(0.04, 1e6 / 0.042, 0)));
        assertEquals(1.4, goal(result, "get-lat-8B-mean-limit").value(), 1e-9);
        assertTrue(goal(result, "get-lat-8B-mean-limit").met());
    }

    @Test
    void shouldCompareFairleadOverUcxWithCThatHandlesErrors() {
        Map<String, List<Turn>> turns = new LinkedHashMap<>();
        turns.put(Perftest.TITLE, List.of(turn(1, 0, 0)));
        turns.put(PerfResult.FAIRLEAD, List.of(turn(1, 0, 0)));
        turns.put(PerfResult.OVER_UCX, List.of(turn(3, 0, 0)));
        turns.put(Perftest.WITH_ERROR_HANDLING, List.of(turn(2, 0, 0)));
        PerfResult result = new PerfResult(Work.of(PerfTest.PUT_LAT, 8, 1), turns);
        assertEquals(1.5, goal(result, "put-lat-8B-p50-ucx-goal").value(), 1e-9);
        assertTrue(goal(result, "put-lat-8B-p50-ucx-goal").met());
        assertEquals(1, goal(result, "put-lat-8B-p50-goal").value(), 1e-9);
        assertEquals(
                List.of("fairlead/ucx_perftest", "fairlead/fairlead/ucx", "fairlead/ucx/ucx_perftest-e"),
                result.ratios().stream().map(PerfResult.Ratio::toString).toList());
    }

    @Test
    void shouldMissTheGoalOfNoAllocationByAnyByte() {
        PerfResult none = result(PerfTest.FADD, 8, List.of(turn(1, 0, 0)), List.of(turn(1, 0, 0)));
        PerfResult some = result(PerfTest.FADD, 8, List.of(turn(1, 0, 0)), List.of(turn(1, 0, 0.01)));
        assertTrue(goal(none, "fadd-8B-allocation").met());
        assertFalse(goal(some, "fadd-8B-allocation").met());
        assertEquals(0.01, goal(some, "fadd-8B-allocation").value(), 1e-9);
    }

    @Test
    void shouldHaveNoRatioWithoutAnotherContestant() {
        PerfResult alone =
                new PerfResult(Work.of(PerfTest.TAG_LAT, 8, 1), Map.of(PerfResult.FAIRLEAD, List.of(turn(1, 0, 0))));
        assertEquals(
                List.of("tag-lat-8B-allocation"),
                PerfReport.goals(alone).stream().map(Goal::id).toList());
    }
}
