package io.fairlead.benchmarks;

import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.conscrypt.Conscrypt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures what security costs. */
@Command(
        name = "tls",
        description = "Connections with TLS beside those without, over tcp by either engine, and over shared memory:"
                + " connect time, half round trips of 8 B, bandwidth of 1 MiB, allocation.")
final class TlsCommand implements Callable<Integer> {
    private static final String SUITE = "tls";
    private static final double GOAL_TCP = 0.5;
    private static final double GOAL_SHM = 1.03;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        List<TlsContestant> contestants = contestants();
        TlsCost cost = options.quick()
                ? new TlsCost(new TlsTurn(3, 2000, 50), 1, 3, contestants, System.err::println)
                : new TlsCost(new TlsTurn(20, 20_000, 500), 3, 11, contestants, System.err::println);
        Map<TlsContestant, TlsCost.Result> results = cost.run();
        Report report = new Report();
        results.values().forEach(result -> add(report, result));
        print(results);
        addGoals(report, results);
        return options.finish(report);
    }

    /** Conscrypt is native code, and not on every platform. */
    static List<TlsContestant> contestants() {
        List<TlsContestant> contestants = new ArrayList<>(Arrays.asList(TlsContestant.values()));
        if (!isConscryptThere()) {
            System.err.println(
                    "without conscrypt: org.conscrypt:conscrypt-openjdk-uber has no library for this platform");
            contestants.remove(TlsContestant.TCP_CONSCRYPT);
        }
        return contestants;
    }

    private static boolean isConscryptThere() {
        try {
            return Conscrypt.isAvailable();
        } catch (LinkageError absent) {
            return false;
        }
    }

    private static void add(Report report, TlsCost.Result result) {
        row(report, "connect", result, 0, "p50", result.connectMs, "ms");
        row(report, "half-round-trip", result, TlsTurn.SMALL, "p50", result.halfRoundTripUs, "us");
        row(report, "half-round-trip", result, TlsTurn.SMALL, "allocated", result.allocatedSmall, "bytes/operation");
        row(report, "bandwidth", result, TlsTurn.LARGE, "rate", result.gigabytesPerSecond, "GB/s");
        row(report, "bandwidth", result, TlsTurn.LARGE, "allocated", result.allocatedLarge, "bytes/operation");
    }

    private static void row(
            Report report,
            String name,
            TlsCost.Result result,
            int size,
            String metric,
            List<Double> values,
            String unit) {
        double median = Spread.of(values).median();
        report.rows().add(new Row(SUITE, name, result.contestant().label(), size, metric, median, unit));
    }

    private static void addGoals(Report report, Map<TlsContestant, TlsCost.Result> results) {
        TlsCost.Result tcp = results.get(TlsContestant.TCP);
        TlsCost.Result jdk = results.get(TlsContestant.TCP_JDK);
        TlsCost.Result conscrypt = results.get(TlsContestant.TCP_CONSCRYPT);
        report.goals()
                .add(Goal.atLeast(
                        "tls-bandwidth-1MiB", better(conscrypt, jdk, tcp, one -> one.gigabytesPerSecond), GOAL_TCP));
        report.goals()
                .add(Goal.atLeast(
                        "tls-latency-8B",
                        Math.max(
                                ratio(tcp, jdk, one -> one.halfRoundTripUs),
                                conscrypt == null ? 0 : ratio(tcp, conscrypt, one -> one.halfRoundTripUs)),
                        GOAL_TCP));
        TlsCost.Result plain = results.get(TlsContestant.SHM);
        TlsCost.Result bound = results.get(TlsContestant.SHM_JDK);
        report.goals().add(Goal.atMost("shm-latency-8B", ratio(bound, plain, one -> one.halfRoundTripUs), GOAL_SHM));
        report.goals()
                .add(Goal.atMost("shm-time-of-1MiB", ratio(plain, bound, one -> one.gigabytesPerSecond), GOAL_SHM));
    }

    private static double better(
            TlsCost.@Nullable Result one,
            TlsCost.Result other,
            TlsCost.Result reference,
            Function<TlsCost.Result, List<Double>> figure) {
        double ratio = ratio(other, reference, figure);
        return one == null ? ratio : Math.max(ratio, ratio(one, reference, figure));
    }

    /** The median of what one is to the other in the same round. */
    private static double ratio(
            TlsCost.Result one, TlsCost.Result other, Function<TlsCost.Result, List<Double>> figure) {
        List<Double> ones = figure.apply(one);
        List<Double> others = figure.apply(other);
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ones.size(); i++) {
            ratios.add(ones.get(i) / others.get(i));
        }
        return Spread.of(ratios).median();
    }

    private static void print(Map<TlsContestant, TlsCost.Result> results) {
        TlsCost.Result first = results.get(TlsContestant.TCP);
        System.out.println("two processes of one host, both spinning; medians over " + first.connectMs.size()
                + " rounds, in turns; ratios to the same transport without security");
        System.out.printf(
                Locale.ROOT,
                "%-24s %12s %12s %8s %10s %8s %12s %12s%n",
                "",
                "connect ms",
                "8 B us",
                "ratio",
                "1 MiB GB/s",
                "ratio",
                "bytes/8 B",
                "bytes/1 MiB");
        results.forEach((contestant, result) -> {
            TlsCost.Result reference =
                    results.get(contestant.label().startsWith("shm") ? TlsContestant.SHM : TlsContestant.TCP);
            System.out.printf(
                    Locale.ROOT,
                    "%-24s %12.2f %12.2f %8.3f %10.2f %8.3f %12.1f %12.1f%n",
                    contestant.label(),
                    Spread.of(result.connectMs).median(),
                    Spread.of(result.halfRoundTripUs).median(),
                    ratio(reference, result, one -> one.halfRoundTripUs),
                    Spread.of(result.gigabytesPerSecond).median(),
                    ratio(result, reference, one -> one.gigabytesPerSecond),
                    Spread.of(result.allocatedSmall).median(),
                    Spread.of(result.allocatedLarge).median());
        });
    }
}
