package io.fairlead.benchmarks;

import io.fairlead.benchmarks.TlsSide.Way;
import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.cli.keys.TemporaryKeys;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.SideProcess;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.conscrypt.Conscrypt;
import picocli.CommandLine.Command;

/** Measures what security costs: connections, short messages and long ones, by contestants in turns, both sides spinning. */
@Command(
        name = "tls",
        description = "Connections with TLS beside those without, over tcp by either engine, shared memory and UCX:"
                + " connect time, half round trips of 8 B, bandwidth of 1 MiB, allocation.")
final class TlsCommand extends Comparison {
    private static final String SUITE = "tls";
    private static final int SMALL = 8;
    private static final int LARGE = 1 << 20;
    private static final double GOAL_TCP = 0.5;
    private static final double GOAL_BOUND = 1.03;

    /**
     * The figures of one contestant, for each round.
     *
     * @param connectMs median times of connections
     * @param small turns of short messages
     * @param large turns of long ones
     */
    record Result(Way way, List<Double> connectMs, List<Turn> small, List<Turn> large) {
        /** How its times or rates are to those of another, by the medians of the rounds' ratios. */
        double connectTo(Result other) {
            return Spread.ratio(connectMs, other.connectMs, ms -> ms).median();
        }

        double timeTo(Result other) {
            return Spread.ratio(small, other.small, Turn::p50Us).median();
        }

        double rateTo(Result other) {
            return Spread.ratio(large, other.large, Turn::perSecond).median();
        }
    }

    @Override
    protected void measure(Report report) throws IOException {
        int connects = quick() ? 3 : 20;
        Rounds.Plan plan = quick() ? new Rounds.Plan(3, 20_000_000, 1) : new Rounds.Plan(11, 150_000_000, 12);
        Map<Way, Result> results = measure(ways(), plan, connects, System.err::println);
        System.out.println("two processes of one host, both spinning; medians of rounds, in turns;"
                + " ratios: time to that of the same transport without security, and rate to its rate");
        TextTable table = new TextTable(
                report,
                SUITE,
                List.of(
                        "",
                        "connect ms",
                        "ratio",
                        "8 B us",
                        "ratio",
                        "1 MiB GB/s",
                        "ratio",
                        "bytes/8 B",
                        "bytes/1 MiB"));
        results.values().forEach(result -> add(table, result, plain(results, result.way())));
        table.print(System.out);
        addGoals(report.goals(), results);
    }

    private static Result plain(Map<Way, Result> results, Way way) {
        return Objects.requireNonNull(results.get(way.plain()), "plain");
    }

    /** Conscrypt is native code, and not on every platform. */
    static List<Way> ways() {
        List<Way> ways = new ArrayList<>(Arrays.asList(Way.values()));
        if (!isConscryptThere()) {
            System.err.println(
                    "without conscrypt: org.conscrypt:conscrypt-openjdk-uber has no library for this platform");
            ways.remove(Way.TCP_CONSCRYPT);
        }
        if (FairleadPeer.unavailable("ucx").isPresent()) {
            System.err.println("without ucx: see ./fairlead doctor for what it misses");
            ways.removeIf(way -> way.plain() == Way.UCX);
        }
        return ways;
    }

    private static boolean isConscryptThere() {
        try {
            return Conscrypt.isAvailable();
        } catch (LinkageError absent) {
            return false;
        }
    }

    static Map<Way, Result> measure(List<Way> ways, Rounds.Plan plan, int connects, Consumer<String> progress)
            throws IOException {
        List<Contestant> pairs = new ArrayList<>();
        try (TemporaryKeys keys = TemporaryKeys.make()) {
            Map<String, String> asking = keys.settings("asking");
            Map<String, String> answering = keys.settings("answering");
            try {
                for (Way way : ways) {
                    pairs.add(Pair.start(ends(way, asking, answering)));
                }
                return measure(ways, pairs, plan, connects, progress);
            } finally {
                // The processes end before the files of the keys are deleted.
                pairs.forEach(Contestant::close);
            }
        }
    }

    private static Map<Way, Result> measure(
            List<Way> ways, List<Contestant> pairs, Rounds.Plan plan, int connects, Consumer<String> progress)
            throws IOException {
        Map<Way, List<Double>> connectMs = new EnumMap<>(Way.class);
        // The first round warms up.
        for (int round = 0; round <= plan.rounds(); round++) {
            progress.accept("tls: connections, round " + round + " of " + plan.rounds());
            for (int i = 0; i < ways.size(); i++) {
                double ms = connect((Pair) pairs.get(i), connects);
                if (round > 0) {
                    connectMs
                            .computeIfAbsent(ways.get(i), _ -> new ArrayList<>())
                            .add(ms);
                }
            }
        }
        Rounds rounds = new Rounds(plan, progress);
        List<Contestant> taking = new ArrayList<>(pairs);
        Map<String, List<Turn>> small = rounds.run("tls: 8 B", Work.numbered(PerfTest.TAG_LAT, SMALL), taking);
        Map<String, List<Turn>> large = rounds.run("tls: 1 MiB", Work.numbered(PerfTest.TAG_BW, LARGE), taking);
        Map<Way, Result> results = new EnumMap<>(Way.class);
        for (Way way : ways) {
            List<Turn> smalls = small.get(way.label());
            List<Turn> larges = large.get(way.label());
            if (smalls == null || larges == null) {
                throw new IOException("a process is gone: " + way.label());
            }
            results.put(way, new Result(way, connectMs.getOrDefault(way, List.of()), smalls, larges));
        }
        return results;
    }

    private static Pair.Ends ends(Way way, Map<String, String> asking, Map<String, String> answering) {
        return new Pair.Ends(
                way.label(),
                TlsSide.class,
                List.of(),
                arguments(way, asking),
                arguments(way, answering),
                false,
                EnumSet.allOf(PerfTest.class),
                SideProcess.LIMIT_S);
    }

    private static List<String> arguments(Way way, Map<String, String> security) {
        List<String> arguments = new ArrayList<>(List.of(way.name()));
        security.forEach((key, value) -> arguments.addAll(List.of(key, value)));
        return arguments;
    }

    private static double connect(Pair pair, int count) throws IOException {
        pair.follower().say(TlsSide.CONNECT + "follow " + count);
        pair.follower().awaitBegan();
        pair.leader().say(TlsSide.CONNECT + "lead " + count);
        pair.leader().awaitBegan();
        double ms = pair.leader().done()[0] / 1e6;
        pair.follower().done();
        return ms;
    }

    private static void add(TextTable table, Result result, Result plain) {
        String label = result.way().label();
        table.line(label, "connect", label, 0, result.connectMs)
                .median("p50", "ms", ms -> ms)
                .text(TextTable.number(result.connectTo(plain)));
        table.same("half-round-trip", label, SMALL, result.small)
                .median("p50", "us", turn -> turn.p50Us() / 2)
                .text(TextTable.number(result.timeTo(plain)));
        table.same("bandwidth", label, LARGE, result.large)
                .median("rate", "GB/s", turn -> turn.perSecond() * LARGE / 1e9)
                .text(TextTable.number(result.rateTo(plain)));
        table.same("half-round-trip", label, SMALL, result.small)
                .median("allocated", "bytes/operation", Turn::allocated);
        table.same("bandwidth", label, LARGE, result.large).median("allocated", "bytes/operation", Turn::allocated);
    }

    private static void addGoals(List<Goal> goals, Map<Way, Result> results) {
        Result tcp = plain(results, Way.TCP);
        List<Result> engines = Stream.of(Way.TCP_JDK, Way.TCP_CONSCRYPT)
                .filter(results::containsKey)
                .map(results::get)
                .toList();
        // What the better engine leaves of the rate and of the exchanges of plain TCP.
        double rate =
                engines.stream().mapToDouble(engine -> engine.rateTo(tcp)).max().orElseThrow();
        double exchanges = engines.stream().mapToDouble(tcp::timeTo).max().orElseThrow();
        goals.add(Goal.atLeast("tls-bandwidth-1MiB", rate, GOAL_TCP));
        goals.add(Goal.atLeast("tls-latency-8B", exchanges, GOAL_TCP));
        for (Way bound : List.of(Way.SHM_JDK, Way.UCX_JDK)) {
            Result secured = results.get(bound);
            if (secured != null) {
                Result plain = plain(results, bound);
                String name = plain.way().label();
                goals.add(Goal.atMost(name + "-latency-8B", secured.timeTo(plain), GOAL_BOUND));
                goals.add(Goal.atMost(name + "-time-of-1MiB", plain.rateTo(secured), GOAL_BOUND));
            }
        }
    }
}
