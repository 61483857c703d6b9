package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Report.Goal;
import java.util.ArrayList;
import java.util.List;

/** What Fairlead's figures are to reach beside those of {@code ucx_perftest}: a limit that must hold, a goal to aim for. */
final class PerfGoals {
    private static final int WORD = 8;
    private static final int PAGE = 4096;
    private static final int MIB = 1 << 20;

    private record Target(PerfTest test, int size, String kind, double ratio) {
        String kind(PerfResult result) {
            return result.metric() + "-" + kind;
        }
    }

    private static final List<Target> TARGETS = List.of(
            new Target(PerfTest.TAG_LAT, WORD, "limit", 1.25),
            new Target(PerfTest.TAG_LAT, WORD, "goal", 1.10),
            new Target(PerfTest.TAG_BW, WORD, "limit", 0.6),
            new Target(PerfTest.TAG_BW, WORD, "goal", 0.9),
            new Target(PerfTest.PUT_LAT, WORD, "goal", 1.15),
            new Target(PerfTest.PUT_LAT, PAGE, "goal", 1.0),
            new Target(PerfTest.PUT_BW, WORD, "goal", 0.9),
            new Target(PerfTest.PUT_BW, MIB, "limit", 0.95),
            new Target(PerfTest.PUT_BW, MIB, "goal", 0.97),
            new Target(PerfTest.GET_LAT, WORD, "limit", 1.5),
            new Target(PerfTest.GET_LAT, WORD, "goal", 1.15),
            new Target(PerfTest.GET_LAT, PAGE, "limit", 1.25),
            new Target(PerfTest.GET_LAT, PAGE, "goal", 1.0),
            new Target(PerfTest.GET_BW, WORD, "goal", 0.9),
            new Target(PerfTest.GET_BW, MIB, "limit", 0.95),
            new Target(PerfTest.GET_BW, MIB, "goal", 0.97));

    private PerfGoals() {}

    /** As tables show it. What is less is allocated by rounds, of a hundred thousand operations and more, and not by operations. */
    private static double shown(double bytes) {
        return Math.round(bytes * 1000) / 1000.0;
    }

    /** The goals that a result has a figure for. */
    static List<Goal> of(PerfResult result) {
        PerfCase perfCase = result.perfCase();
        String id = perfCase.test().label() + "-" + perfCase.size() + "B-";
        List<Goal> goals = new ArrayList<>();
        result.ratio(PerfResult.PERFTEST)
                .ifPresent(ratio -> TARGETS.stream()
                        .filter(target -> target.test() == perfCase.test() && target.size() == perfCase.size())
                        .map(target -> result.isRate()
                                ? Goal.atLeast(id + target.kind(result), ratio.median(), target.ratio())
                                : Goal.atMost(id + target.kind(result), ratio.median(), target.ratio()))
                        .forEach(goals::add));
        goals.add(Goal.atMost(id + "allocation", shown(result.fairlead().allocatedPerOperation()), 0));
        return goals;
    }
}
