package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** Measures Fairlead's TCP beside raw NIO, both spinning, in turns, so that what the machine does to one it does to the other. */
@Command(
        name = "tcp-latency",
        description =
                "Half round trips of 8 B, 4 KiB and 64 KiB between two processes: Fairlead over TCP beside raw NIO.")
final class TcpLatencyCommand extends Comparison {
    private static final String SUITE = "tcp-latency";
    private static final String FAIRLEAD = "fairlead";
    private static final List<Integer> SIZES = List.of(8, 4096, 65536);
    private static final double LIMIT_8_B = 1.25;
    private static final double GOAL_8_B = 1.15;

    @Override
    protected void measure(Report report) throws IOException {
        Rounds.Plan plan = quick() ? new Rounds.Plan(3, 50_000_000, 2) : new Rounds.Plan(11, 200_000_000, 16);
        Map<Integer, Map<String, List<Turn>>> results = measure(plan, SIZES, System.err::println);
        System.out.println(
                "half round trip, two processes, both spinning; medians over " + plan.rounds() + " interleaved rounds");
        System.out.printf(
                Locale.ROOT,
                "%8s %12s %12s %14s %14s %22s %12s%n",
                "bytes",
                "raw p50 us",
                "raw p99 us",
                "fairlead p50",
                "fairlead p99",
                "ratio (min to max)",
                "bytes/op");
        results.forEach((size, turns) -> {
            List<Turn> raw = turns.get(Contestants.RAW_NIO.title());
            List<Turn> fairlead = turns.get(Contestants.FAIRLEAD_TCP.title());
            if (raw == null || fairlead == null) {
                throw CommandFailure.failed("the comparison broke off: a process is gone");
            }
            add(report, size, raw, fairlead);
        });
    }

    static Map<Integer, Map<String, List<Turn>>> measure(
            Rounds.Plan plan, List<Integer> sizes, Consumer<String> progress) throws IOException {
        Map<Integer, Map<String, List<Turn>>> results = new LinkedHashMap<>();
        try (Contestant raw = Contestants.RAW_NIO.start(Idle.SPIN);
                Contestant fairlead = Contestants.FAIRLEAD_TCP.start(Idle.SPIN)) {
            for (int size : sizes) {
                results.put(
                        size,
                        new Rounds(plan, progress)
                                .run(
                                        SUITE + ": " + size + " bytes",
                                        Work.numbered(PerfTest.TAG_LAT, size),
                                        new ArrayList<>(List.of(raw, fairlead))));
            }
        }
        return results;
    }

    private static void add(Report report, int size, List<Turn> raw, List<Turn> fairlead) {
        double[] halves = {
            Spread.median(raw, Turn::p50Us) / 2,
            Spread.median(raw, Turn::p99Us) / 2,
            Spread.median(fairlead, Turn::p50Us) / 2,
            Spread.median(fairlead, Turn::p99Us) / 2
        };
        Spread ratio = Spread.ratio(fairlead, raw, Turn::p50Us);
        double allocated = Spread.median(fairlead, Turn::allocated);
        row(report, size, "raw-nio", "p50", halves[0], "us");
        row(report, size, "raw-nio", "p99", halves[1], "us");
        row(report, size, FAIRLEAD, "p50", halves[2], "us");
        row(report, size, FAIRLEAD, "p99", halves[3], "us");
        row(report, size, "fairlead/raw-nio", "p50", ratio.median(), "ratio");
        row(report, size, "fairlead/raw-nio", "p50-min", ratio.least(), "ratio");
        row(report, size, "fairlead/raw-nio", "p50-max", ratio.greatest(), "ratio");
        row(report, size, FAIRLEAD, "allocated", allocated, "bytes/operation");
        if (size == 8) {
            report.goals().add(Goal.atMost("tcp-latency-8B-p50-limit", ratio.median(), LIMIT_8_B));
            report.goals().add(Goal.atMost("tcp-latency-8B-p50-goal", ratio.median(), GOAL_8_B));
        }
        report.goals().add(Goal.atMost("tcp-latency-" + size + "B-allocation", allocated, 0));
        System.out.printf(
                Locale.ROOT,
                "%8d %12.2f %12.2f %14.2f %14.2f %8.3f (%.3f to %.3f) %10.3f%n",
                size,
                halves[0],
                halves[1],
                halves[2],
                halves[3],
                ratio.median(),
                ratio.least(),
                ratio.greatest(),
                allocated);
    }

    private static void row(Report report, int size, String subject, String metric, double value, String unit) {
        report.add(SUITE, "half-round-trip", subject, size, metric, value, unit);
    }
}
