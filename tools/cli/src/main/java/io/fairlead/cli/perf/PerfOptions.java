package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.Seconds;
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
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What {@code fairlead perf} is to measure and how long, as its command line says it. */
public final class PerfOptions {
    static final ConfigKey<Integer> SIZE = ConfigKey.bytes("sizes", 8, 1, 1 << 30, "Bytes of an operation.");
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

    @Parameters(paramLabel = "TEST", arity = "0..*", description = "Which tests (default: all).")
    private List<String> tests = List.of();

    @Option(
            names = "--sizes",
            paramLabel = "BYTES,...",
            description =
                    "Bytes of an operation, such as 8,4KiB,1MiB (default: 8 and 4 KiB for latencies, 8 and 1 MiB for"
                            + " rates; fadd has 8).")
    private Optional<String> sizes = Optional.empty();

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "Operations on their way at once, in tests of rates and fadd (default: 32, fadd 1).")
    private Optional<String> window = Optional.empty();

    @Option(names = "--rounds", paramLabel = "N", description = "Counted rounds of each test and size (default: 5).")
    private Optional<String> rounds = Optional.empty();

    @Option(
            names = "--iterations",
            paramLabel = "N",
            description = "Operations of a round (default: as many as --seconds holds).")
    private Optional<String> iterations = Optional.empty();

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description = "Operations before the first counted round (default: until a round takes its time).")
    private Optional<String> warmUp = Optional.empty();

    @Option(
            names = "--seconds",
            converter = Seconds.class,
            paramLabel = "S",
            description = "How long all rounds of a test and size take together (default: 1).")
    private Optional<Double> seconds = Optional.empty();

    @Option(names = "--quick", description = "Fewer and shorter rounds: to see that it works, not to quote.")
    private boolean quick;

    /** The plan of a command line. */
    public static PerfPlan plan(List<String> arguments) {
        return CommandLine.populateCommand(new PerfOptions(), arguments.toArray(String[]::new))
                .plan();
    }

    /**
     * Makes a plan.
     *
     * @throws CommandFailure for a test, number or size that there is none of, or options that contradict each other
     */
    PerfPlan plan() {
        List<PerfTest> chosen = tests.isEmpty()
                ? List.of(PerfTest.values())
                : tests.stream().map(PerfTest::named).distinct().toList();
        if (iterations.isPresent() && seconds.isPresent()) {
            throw CommandFailure.usage("--iterations and --seconds both say how long; give one of them");
        }
        double inAllS = seconds.orElse(quick ? QUICK_SECONDS : DEFAULT_SECONDS);
        int counted = number(ROUNDS, rounds).orElse(quick ? QUICK_ROUNDS : ROUNDS.defaultValue());
        OptionalInt inFlight = number(WINDOW, window);
        List<Integer> bytes = sizes.map(PerfOptions::parseSizes).orElse(List.of());
        if (chosen.equals(List.of(PerfTest.FADD)) && !bytes.isEmpty() && !bytes.equals(PerfTest.FADD.sizes())) {
            throw CommandFailure.usage(
                    "fadd has one size: --sizes=" + sizes.orElseThrow() + ", its words are 8 bytes; leave out --sizes");
        }
        List<Work> cases = new ArrayList<>();
        for (PerfTest test : chosen) {
            // Atomics have one size, and back and forth there is one operation at a time.
            for (int size : bytes.isEmpty() || test == PerfTest.FADD ? test.sizes() : bytes) {
                cases.add(Work.of(test, size, test.isAlone() ? 1 : inFlight.orElse(test.window())));
            }
        }
        return new PerfPlan(
                List.copyOf(cases),
                new Rounds.Plan(
                        counted,
                        (long) (inAllS / counted * TimeUnit.SECONDS.toNanos(1)),
                        WARM_UP_TURNS,
                        number(ITERATIONS, iterations).orElse(0),
                        number(WARM_UP, warmUp).orElse(0),
                        true));
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
}
