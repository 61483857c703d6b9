package io.fairlead.benchmarks.startup;

import io.fairlead.benchmarks.contest.FirstAnswer;
import io.fairlead.benchmarks.contest.FirstAnswer.Times;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** Starts two new processes of each contestant in every round, one contestant after the other. */
final class StartupComparison {
    /**
     * A contestant.
     *
     * @param subject its name
     * @param rounds what its pairs of processes took
     */
    record Result(String subject, List<Times> rounds) {
        /** One figure of all rounds. */
        List<Double> all(ToDoubleFunction<Times> figure) {
            return rounds.stream().map(figure::applyAsDouble).toList();
        }
    }

    private final List<FirstAnswer> contestants;
    private final int rounds;
    private final Consumer<String> progress;

    /**
     * Prepares.
     *
     * @param contestants the first is what ratios are taken to
     * @param rounds pairs of processes of each
     * @param progress takes a line for each step, and who was left out
     */
    StartupComparison(List<FirstAnswer> contestants, int rounds, Consumer<String> progress) {
        this.contestants = contestants;
        this.rounds = rounds;
        this.progress = progress;
    }

    /** Those that have come to the end, in the order of the list. */
    List<Result> run() {
        List<FirstAnswer> left = new ArrayList<>();
        for (FirstAnswer contestant : contestants) {
            contestant.unavailable().ifPresentOrElse(why -> leaveOut(contestant, why), () -> left.add(contestant));
        }
        Map<FirstAnswer, List<Times>> times = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            progress.accept("startup: round " + (round + 1) + " of " + rounds);
            left.removeIf(contestant -> !measure(contestant, times));
        }
        return left.stream()
                .map(contestant -> new Result(contestant.title(), times.getOrDefault(contestant, List.of())))
                .toList();
    }

    /** Whether it has had its answer. */
    private boolean measure(FirstAnswer contestant, Map<FirstAnswer, List<Times>> times) {
        try {
            times.computeIfAbsent(contestant, _ -> new ArrayList<>()).add(contestant.measure());
            return true;
        } catch (IOException failure) {
            leaveOut(contestant, String.valueOf(failure.getMessage()));
            return false;
        }
    }

    private void leaveOut(FirstAnswer contestant, String why) {
        progress.accept("left out: " + contestant.title() + ": " + why);
    }
}
