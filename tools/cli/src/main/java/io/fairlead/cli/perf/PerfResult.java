package io.fairlead.cli.perf;

import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.perf.Leader.Percentiles;
import io.fairlead.cli.perf.Leader.Round;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What a case has come to.
 *
 * @param perfCase the case
 * @param batch operations that were timed together
 * @param subjects the rounds of each contestant, in the order of the table
 */
public record PerfResult(PerfCase perfCase, int batch, Map<String, Series> subjects) {
    /** The C program's name in tables and reports. */
    static final String PERFTEST = "ucx_perftest";

    /** The name of Fairlead over UCX's own shared memory, beside Fairlead over the transport shm. */
    static final String OVER_UCX = "fairlead/ucx";

    private static final double FEW_STEPS_US = 0.1;

    /**
     * The counted rounds of one contestant.
     *
     * @param rounds at least one
     * @param operationsOfRound of either side in each round, for what an operation allocates
     * @param percentiles of all rounds; empty for a contestant that tells of none, and of no heap
     */
    record Series(List<Round> rounds, long operationsOfRound, Optional<Percentiles> percentiles) {
        Spread spread(ToDoubleFunction<Round> figure) {
            return Spread.of(figures(figure));
        }

        List<Double> figures(ToDoubleFunction<Round> figure) {
            return rounds.stream().mapToDouble(figure).boxed().toList();
        }

        /** Of the median round: what is done for the first time allocates once, whatever it is. */
        double allocatedPerOperation() {
            return spread(round -> (double) round.allocated() / operationsOfRound)
                    .median();
        }
    }

    Series fairlead() {
        return series(PerfServer.FAIRLEAD).orElseThrow();
    }

    /** Whom Fairlead is compared with, in the order of the table. */
    List<String> rivals() {
        return subjects.keySet().stream()
                .filter(subject -> !subject.equals(PerfServer.FAIRLEAD))
                .toList();
    }

    Optional<Series> series(String subject) {
        return Optional.ofNullable(subjects.get(subject));
    }

    boolean isRate() {
        return perfCase.test().kind() == PerfTest.Kind.RATE;
    }

    /** The figure that contestants are compared by: a rate, a median, or a mean. */
    ToDoubleFunction<Round> figure() {
        if (isRate()) {
            return Round::rate;
        }
        return comparesMeans() ? Round::meanUs : Round::medianUs;
    }

    /** Whether the C program's medians are too near to a step of its clock, which is 10 ns on some machines. */
    private boolean comparesMeans() {
        return series(PERFTEST)
                .map(series -> series.spread(Round::medianUs).median() < FEW_STEPS_US)
                .orElse(false);
    }

    /** The name of that figure. */
    String metric() {
        if (isRate()) {
            return "rate";
        }
        return comparesMeans() ? "mean" : "p50";
    }

    /** Fairlead's figure over a rival's, of the same rounds. */
    Optional<Spread> ratio(String rival) {
        return series(rival).map(other -> {
            List<Double> ours = fairlead().figures(figure());
            List<Double> theirs = other.figures(figure());
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < ours.size(); i++) {
                ratios.add(ours.get(i) / theirs.get(i));
            }
            return Spread.of(ratios);
        });
    }
}
