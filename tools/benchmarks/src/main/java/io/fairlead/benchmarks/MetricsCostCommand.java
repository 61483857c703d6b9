package io.fairlead.benchmarks;

import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** Measures Fairlead with metrics beside Fairlead without, in many short turns. */
@Command(
        name = "metrics-cost",
        description =
                "Half round trips of 8 B between two processes with metrics on and off, in turns: over the best path of this"
                        + " host (tag-lat) and over TCP (tcp-latency).")
final class MetricsCostCommand extends Comparison {
    private static final String SUITE = "metrics-cost";
    private static final String OFF = "metrics-off";
    private static final String ON = "metrics-on";
    private static final int SIZE = 8;
    private static final double LIMIT = 1.03;
    /** Exchanges that are timed together: of 256 operations some are sampled, so that no figure leaves out what that takes. */
    private static final int BATCH = 64;

    /**
     * A test.
     *
     * @param label its name
     * @param policy which path it takes
     * @param warmUp rounds that are not counted
     * @param rounds rounds that are, of some 10 ms each, so that the machine treats both contestants alike
     * @param exchanges of a turn
     */
    record Case(String label, PathPolicy policy, int warmUp, int rounds, int exchanges) {}

    /**
     * The figures of a test, a turn for each counted round.
     *
     * @param transport of the path that both contestants have taken
     * @param scrapes how often the leading process's metrics were read meanwhile
     */
    record Result(Case test, String transport, List<Turn> off, List<Turn> on, long scrapes) {}

    @Override
    protected void measure(Report report) throws IOException {
        System.out.println(
                "half round trip of 8 bytes, two processes, both spinning; medians over rounds, metrics off and on in turns");
        TextTable table = new TextTable(
                report,
                SUITE,
                List.of("test", "transport", "off p50 us", "on p50 us", "on/off (half of the rounds)", "scrapes"));
        int warmUp = quick() ? 2 : 40;
        int rounds = quick() ? 4 : 101;
        add(report, table, measure(new Case("tag-lat", PathPolicy.AUTO, warmUp, rounds, quick() ? 2_560 : 6_400)));
        add(report, table, measure(new Case("tcp-latency", PathPolicy.TCP_ONLY, warmUp, rounds, 640)));
        table.print(System.out);
    }

    static Result measure(Case test) throws IOException {
        List<String> policy = List.of(test.policy().toString());
        try (Pair pair = Pair.start(Pair.Ends.of(SUITE, MetricsSide.class, policy))) {
            Contestant off = pair.named(MetricsSide.OFF, MetricsSide.OFF);
            Contestant on = pair.named(MetricsSide.ON, MetricsSide.ON);
            Work work = Work.numbered(PerfTest.TAG_LAT, SIZE).withBatch(BATCH).withCount(test.exchanges());
            List<Turn> offTurns = new ArrayList<>();
            List<Turn> onTurns = new ArrayList<>();
            for (int round = -test.warmUp(); round < test.rounds(); round++) {
                System.err.println(test.label() + ", round " + (round + test.warmUp() + 1) + " of "
                        + (test.warmUp() + test.rounds()));
                // The first has the colder caches, so each is first in every other round.
                Turn first = (round % 2 == 0 ? off : on).turn(work);
                Turn second = (round % 2 == 0 ? on : off).turn(work);
                if (round >= 0) {
                    offTurns.add(round % 2 == 0 ? first : second);
                    onTurns.add(round % 2 == 0 ? second : first);
                }
            }
            return new Result(test, pair.connection(), offTurns, onTurns, (long)
                    pair.leader().turn(MetricsSide.SCRAPES)[0]);
        }
    }

    private static void add(Report report, TextTable table, Result result) {
        List<Double> ratios = Spread.ratios(result.on(), result.off(), Turn::p50Us).stream()
                .sorted()
                .toList();
        Spread ratio = new Spread(
                Spread.of(ratios).median(), ratios.get(ratios.size() / 4), ratios.get(ratios.size() * 3 / 4));
        String label = result.test().label();
        table.line(label, label, OFF, SIZE, result.off())
                .text(result.transport())
                .median("p50", "us", turn -> turn.p50Us() / 2)
                .of(ON, result.on())
                .median("p50", "us", turn -> turn.p50Us() / 2)
                .ratioRow("p50", OFF, ratio.median())
                .ratioRow("p50-lower-quartile", OFF, ratio.least())
                .ratioRow("p50-upper-quartile", OFF, ratio.greatest())
                .row("scrapes", "count", (double) result.scrapes())
                .text(TextTable.ratioText(ratio))
                .text(String.valueOf(result.scrapes()));
        report.goals().add(Goal.atMost(label + "-8B-metrics-p50-limit", ratio.median(), LIMIT));
    }
}
