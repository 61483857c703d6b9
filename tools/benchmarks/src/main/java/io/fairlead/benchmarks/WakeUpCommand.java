package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.SideProcess;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** Measures nodes that block beside a bare selector: the asking side leaves pauses in which the answering side falls asleep. */
@Command(
        name = "wake-up",
        description =
                "How soon a blocked node has answered a message, over each path of this host, beside a thread that blocks in"
                        + " a bare selector; and what an idle blocking node takes of the processor.")
final class WakeUpCommand extends Comparison {
    private static final String SUITE = "wake-up";
    private static final String BARE = "bare-selector";
    private static final double LIMIT_US = 100;
    private static final double LIMIT_PERCENT = 1;

    /**
     * How much is measured.
     *
     * @param warmUp exchanges without pauses, for each contestant, before anything is counted
     * @param rounds turns of each contestant
     * @param exchanges exchanges in a turn
     * @param pauseNs from one to the next
     * @param idleNs how long nothing is sent, to see what waiting takes
     */
    record Plan(int warmUp, int rounds, int exchanges, long pauseNs, long idleNs) {}

    /**
     * The figures.
     *
     * @param turns contestants in the order of their turns
     * @param idlePercent what both nodes and the selector's thread took of one processor while nothing was sent
     */
    record Result(Map<String, List<Turn>> turns, double idlePercent) {}

    @Override
    protected void measure(Report report) throws IOException {
        long pauseNs = TimeUnit.MILLISECONDS.toNanos(2);
        Plan plan = quick()
                ? new Plan(2_000, 3, 50, pauseNs, TimeUnit.SECONDS.toNanos(2))
                : new Plan(20_000, 11, 100, pauseNs, TimeUnit.SECONDS.toNanos(10));
        Result result = measure(plan, System.err::println);
        System.out.println("from message to answer of a thread that blocks; medians over rounds, in turns");
        TextTable table = new TextTable(report, SUITE, List.of("answering", "p50 us", "to bare"));
        List<Turn> bare = result.turns().getOrDefault(BARE, List.of());
        result.turns().forEach((subject, turns) -> {
            table.line(subject, SUITE, subject, WakeUpSide.SIZE, turns)
                    .spread("p50", "us", Turn::p50Us)
                    .ratio("p50", BARE, bare, Turn::p50Us);
            if (!subject.equals(BARE)) {
                report.goals().add(Goal.atMost(subject + "-p50-us", Spread.median(turns, Turn::p50Us), LIMIT_US));
            }
        });
        table.print(System.out);
        report.add(SUITE, "wake-up", "fairlead", WakeUpSide.SIZE, "processor", result.idlePercent(), "percent");
        report.goals().add(Goal.atMost("idle-processor-percent", result.idlePercent(), LIMIT_PERCENT));
    }

    static Result measure(Plan plan, Consumer<String> progress) throws IOException {
        Pair.Ends ends = new Pair.Ends(
                SUITE,
                WakeUpSide.class,
                List.of(),
                List.of(),
                List.of(),
                true,
                EnumSet.allOf(PerfTest.class),
                SideProcess.LIMIT_S);
        try (Pair pair = Pair.start(ends)) {
            List<Contestant> contestants = List.of(
                    pair.named(BARE, WakeUpSide.BARE),
                    pair.named("fairlead-tcp", WakeUpSide.TCP),
                    pair.named("fairlead-" + pair.connection(), WakeUpSide.BEST));
            Work work = Work.numbered(PerfTest.TAG_LAT, WakeUpSide.SIZE);
            for (Contestant contestant : contestants) {
                contestant.turn(work.withCount(plan.warmUp()));
            }
            Map<String, List<Turn>> turns = new LinkedHashMap<>();
            for (int round = 0; round < plan.rounds(); round++) {
                progress.accept("wake-up: round " + (round + 1) + " of " + plan.rounds());
                for (Contestant contestant : contestants) {
                    turns.computeIfAbsent(contestant.title(), _ -> new ArrayList<>())
                            .add(contestant.turn(
                                    work.withCount(plan.exchanges()).withInterval(plan.pauseNs())));
                }
            }
            progress.accept("wake-up: waiting");
            double beforeNs = pair.follower().processorNs();
            long startNs = System.nanoTime();
            for (long left = plan.idleNs(); left > 0; left = plan.idleNs() - (System.nanoTime() - startNs)) {
                LockSupport.parkNanos(left);
            }
            long tookNs = System.nanoTime() - startNs;
            return new Result(turns, 100.0 * (pair.follower().processorNs() - beforeNs) / tookNs);
        }
    }
}
