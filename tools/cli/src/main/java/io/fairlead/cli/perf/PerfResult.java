package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * The figures of a case.
 *
 * @param work the case
 * @param turns the counted rounds of each contestant, in the order of the table
 */
public record PerfResult(Work work, Map<String, List<Turn>> turns) {
    /** The name of Fairlead in tables and reports. */
    static final String FAIRLEAD = "fairlead";
    /** The name of Fairlead over UCX's own shared memory, beside Fairlead over the transport shm. */
    static final String OVER_UCX = "fairlead/ucx";

    private static final double FEW_STEPS_US = 0.1;

    /** What is divided by what, by the contestants' names. */
    record Ratio(String subject, String other) {
        @Override
        public String toString() {
            return subject + "/" + other;
        }
    }

    /**
     * Measures all cases of a plan.
     *
     * @param contestants Fairlead first
     * @param progress takes a line for each step
     */
    public static List<PerfResult> measure(PerfPlan plan, List<Contestant> contestants, Consumer<String> progress) {
        Rounds rounds = new Rounds(plan.rounds(), progress) {
            @Override
            protected void leaveOut(Contestant contestant, IOException failure) {
                throw CommandFailure.failed(String.valueOf(failure.getMessage()));
            }
        };
        List<PerfResult> results = new ArrayList<>();
        for (Work work : plan.cases()) {
            List<Contestant> taking = new ArrayList<>(contestants);
            taking.removeIf(contestant -> !contestant.has(work.test()));
            Map<String, List<Turn>> measured = rounds.run(PerfPlan.label(work), work, taking);
            Map<String, List<Turn>> turns = new LinkedHashMap<>();
            if (measured.containsKey(Perftest.TITLE)) {
                turns.put(Perftest.TITLE, List.of());
            }
            turns.putAll(measured);
            results.add(new PerfResult(work, turns));
        }
        return results;
    }

    List<Turn> fairlead() {
        return turns(FAIRLEAD).orElseThrow();
    }

    /** The contestants beside Fairlead, in the order of the table. */
    List<String> others() {
        return turns.keySet().stream()
                .filter(subject -> !subject.equals(FAIRLEAD))
                .toList();
    }

    Optional<List<Turn>> turns(String subject) {
        return Optional.ofNullable(turns.get(subject));
    }

    boolean isRate() {
        return work.test().isRate();
    }

    /** Operations that were timed together. */
    int batch() {
        return fairlead().getFirst().batch();
    }

    /** The middle of the rounds; times of round trips are halved. */
    double median(List<Turn> rounds, ToDoubleFunction<Turn> us) {
        return Spread.median(rounds, us) / work.test().trips();
    }

    /** The figure that contestants are compared by: a rate, a median, or a mean. */
    ToDoubleFunction<Turn> figure() {
        if (isRate()) {
            return Turn::perSecond;
        }
        return turn ->
                (comparesMeans() ? turn.meanUs() : turn.p50Us()) / work.test().trips();
    }

    /** Whether the C program's medians are too near to a step of its clock, which is 10 ns on some machines. */
    private boolean comparesMeans() {
        return turns(Perftest.TITLE)
                .map(rounds -> median(rounds, Turn::p50Us) < FEW_STEPS_US)
                .orElse(false);
    }

    /** The name of that figure. */
    String metric() {
        if (isRate()) {
            return "rate";
        }
        return comparesMeans() ? "mean" : "p50";
    }

    /** The contestants whose figures are divided, in the order of the table: Fairlead over UCX by C with error handling, as Fairlead has it there. */
    List<Ratio> ratios() {
        return others().stream()
                .map(other -> new Ratio(other.equals(Perftest.WITH_ERROR_HANDLING) ? OVER_UCX : FAIRLEAD, other))
                .filter(ratio -> turns.containsKey(ratio.subject()))
                .toList();
    }

    /** A contestant's figure over another's, of the same rounds; empty if one of them does not have the test. */
    Optional<Spread> spread(Ratio ratio) {
        return turns(ratio.subject())
                .flatMap(ours -> turns(ratio.other()).map(theirs -> Spread.ratio(ours, theirs, figure())));
    }
}
