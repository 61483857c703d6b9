package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Work;
import java.util.List;

/**
 * What {@code fairlead perf} is to measure, and how long.
 *
 * @param cases in the order in which they are measured
 * @param rounds how much of each
 */
public record PerfPlan(List<Work> cases, Rounds.Plan rounds) {
    /** How often a run reports progress. */
    public long steps(int contestants) {
        return cases.size() * ((long) rounds.rounds() + contestants);
    }

    /** A case as tables and progress have it. */
    static String label(Work work) {
        return work.test().label() + " " + sizeText(work.size());
    }

    /** A size as it is read here. */
    public static String sizeText(int size) {
        return PerfOptions.SIZE.format(size);
    }
}
