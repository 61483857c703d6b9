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
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
    private static final String RAW = "raw-nio";
    private static final List<Integer> SIZES = List.of(8, 4096, 65536);
    private static final double LIMIT_8_B = 1.25;
    private static final double GOAL_8_B = 1.15;

    @Override
    protected void measure(Report report) throws IOException {
        Rounds.Plan plan = quick() ? new Rounds.Plan(3, 50_000_000, 2) : new Rounds.Plan(11, 200_000_000, 16);
        Map<Integer, Map<String, List<Turn>>> results = measure(plan, SIZES, System.err::println);
        System.out.println(
                "half round trip, two processes, both spinning; medians over " + plan.rounds() + " interleaved rounds");
        TextTable table = new TextTable(
                report,
                SUITE,
                List.of(
                        "bytes",
                        "raw p50 us",
                        "raw p99 us",
                        "fairlead p50",
                        "fairlead p99",
                        "ratio (min to max)",
                        "bytes/op"));
        results.forEach((size, turns) -> {
            List<Turn> raw = turns.get(Contestants.RAW_NIO.title());
            List<Turn> fairlead = turns.get(Contestants.FAIRLEAD_TCP.title());
            if (raw == null || fairlead == null) {
                throw CommandFailure.failed("the comparison broke off: a process is gone");
            }
            add(table, size, raw, fairlead);
            addGoals(report.goals(), size, raw, fairlead);
        });
        table.print(System.out);
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

    private static void add(TextTable table, int size, List<Turn> raw, List<Turn> fairlead) {
        Spread ratio = Spread.ratio(fairlead, raw, Turn::p50Us);
        table.line(String.valueOf(size), "half-round-trip", RAW, size, raw)
                .median("p50", "us", turn -> turn.p50Us() / 2)
                .median("p99", "us", turn -> turn.p99Us() / 2)
                .of(FAIRLEAD, fairlead)
                .median("p50", "us", turn -> turn.p50Us() / 2)
                .median("p99", "us", turn -> turn.p99Us() / 2)
                .ratio("p50", RAW, raw, Turn::p50Us)
                .ratioRow("p50-min", RAW, ratio.least())
                .ratioRow("p50-max", RAW, ratio.greatest())
                .median("allocated", "bytes/operation", Turn::allocated);
    }

    private static void addGoals(List<Goal> goals, int size, List<Turn> raw, List<Turn> fairlead) {
        double ratio = Spread.ratio(fairlead, raw, Turn::p50Us).median();
        if (size == 8) {
            goals.add(Goal.atMost("tcp-latency-8B-p50-limit", ratio, LIMIT_8_B));
            goals.add(Goal.atMost("tcp-latency-8B-p50-goal", ratio, GOAL_8_B));
        }
        goals.add(Goal.atMost("tcp-latency-" + size + "B-allocation", Spread.median(fairlead, Turn::allocated), 0));
    }
}
