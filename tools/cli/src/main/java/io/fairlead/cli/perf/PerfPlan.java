package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.Range;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Work;
import io.fairlead.config.ConfigKey;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * What {@code fairlead perf} is to measure, and how long.
 *
 * @param cases in the order in which they are measured
 * @param rounds how much of each
 */
public record PerfPlan(List<Work> cases, Rounds.Plan rounds) {
    private static final ConfigKey<Integer> SIZE = ConfigKey.bytes("sizes", 8, 1, 1 << 30, "Bytes of an operation.");
    private static final ConfigKey<Integer> WINDOW =
            ConfigKey.count("window", 32, 1, 4096, "Operations on their way at once.");
    private static final ConfigKey<Integer> ROUNDS = ConfigKey.count("rounds", 5, 1, 1000, "Counted rounds.");
    private static final ConfigKey<Integer> ITERATIONS =
            ConfigKey.count("iterations", 10_000, 1, 1_000_000_000, "Operations of a round.");
    private static final ConfigKey<Integer> WARM_UP =
            ConfigKey.count("warmup", 10_000, 1, 1_000_000_000, "Operations before the first counted round.");

    private static final int WARM_UP_TURNS = 16;
    private static final int QUICK_ROUNDS = 3;
    private static final double QUICK_SECONDS = 0.3;
    private static final double DEFAULT_SECONDS = 1;

    /** What the command line says. Empty is what was not said. */
    public record Request(
            List<String> tests,
            Optional<String> sizes,
            Optional<String> window,
            Optional<String> rounds,
            Optional<String> iterations,
            Optional<String> warmUp,
            Optional<Double> seconds,
            boolean quick) {}

    /**
     * Makes a plan.
     *
     * @throws CommandFailure for a test, number or size that there is none of, or options that contradict each other
     */
    public static PerfPlan of(Request request) {
        List<PerfTest> tests = request.tests().isEmpty()
                ? List.of(PerfTest.values())
                : request.tests().stream().map(PerfTest::named).distinct().toList();
        if (request.iterations().isPresent() && request.seconds().isPresent()) {
            throw CommandFailure.usage("--iterations and --seconds both say how long; give one of them");
        }
        double seconds = request.seconds().orElse(request.quick() ? QUICK_SECONDS : DEFAULT_SECONDS);
        if (!(seconds > 0 && seconds <= Range.SECONDS_MAX)) {
            throw CommandFailure.usage("option out of range: --seconds=" + seconds + ", above 0 and at most "
                    + Range.SECONDS_MAX + "; change it");
        }
        int rounds = number(ROUNDS, request.rounds()).orElse(request.quick() ? QUICK_ROUNDS : ROUNDS.defaultValue());
        OptionalInt window = number(WINDOW, request.window());
        List<Integer> sizes = request.sizes().map(PerfPlan::parseSizes).orElse(List.of());
        if (tests.equals(List.of(PerfTest.FADD)) && !sizes.isEmpty() && !sizes.equals(PerfTest.FADD.sizes())) {
            throw CommandFailure.usage("fadd has one size: --sizes="
                    + request.sizes().orElseThrow() + ", its words are 8 bytes; leave out --sizes");
        }
        List<Work> cases = new ArrayList<>();
        for (PerfTest test : tests) {
            // Atomics have one size, and back and forth there is one operation at a time.
            for (int size : sizes.isEmpty() || test == PerfTest.FADD ? test.sizes() : sizes) {
                cases.add(Work.of(test, size, test.isAlone() ? 1 : window.orElse(test.window())));
            }
        }
        return new PerfPlan(
                List.copyOf(cases),
                new Rounds.Plan(
                        rounds,
                        (long) (seconds / rounds * TimeUnit.SECONDS.toNanos(1)),
                        WARM_UP_TURNS,
                        number(ITERATIONS, request.iterations()).orElse(0),
                        number(WARM_UP, request.warmUp()).orElse(0),
                        true));
    }

    /** How often a run reports progress. */
    public long steps(int contestants) {
        return cases.size() * ((long) rounds.rounds() + contestants);
    }

    /** A case as tables and progress have it. */
    static String label(Work work) {
        return work.test().label() + " " + sizeText(work.size());
    }

    private static List<Integer> parseSizes(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(size -> parse(SIZE, size))
                .distinct()
                .toList();
    }

    private static OptionalInt number(ConfigKey<Integer> option, Optional<String> text) {
        return text.isPresent() ? OptionalInt.of(parse(option, text.get())) : OptionalInt.empty();
    }

    private static int parse(ConfigKey<Integer> option, String text) {
        try {
            return option.parse(text);
        } catch (IllegalArgumentException refused) {
            throw CommandFailure.usage("--" + refused.getMessage());
        }
    }

    /** A size as it is read here. */
    public static String sizeText(int size) {
        return SIZE.format(size);
    }
}
