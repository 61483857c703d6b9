package io.fairlead.benchmarks;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import io.fairlead.config.ConfigKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.conscrypt.Conscrypt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures what security costs. */
@Command(
        name = "tls",
        description = "Connections with TLS beside those without, over tcp by either engine, shared memory and UCX:"
                + " connect time, half round trips of 8 B, bandwidth of 1 MiB, allocation.")
final class TlsCommand implements Callable<Integer> {
    private static final String SUITE = "tls";
    private static final double GOAL_TCP = 0.5;
    private static final double GOAL_BOUND = 1.03;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        List<TlsContestant> contestants = contestants();
        TlsCost cost = options.quick()
                ? new TlsCost(new TlsTurn(3, 2000, 50), 1, 3, contestants, System.err::println)
                : new TlsCost(new TlsTurn(20, 20_000, 500), 3, 11, contestants, System.err::println);
        TlsCost.Results results = cost.run();
        Report report = new Report();
        results.all().forEach(result -> add(report, result));
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
        if (!isUcxThere()) {
            System.err.println("without ucx: see ./fairlead doctor for what it misses");
            contestants.removeIf(contestant -> contestant.reference() == TlsContestant.UCX);
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

    private static boolean isUcxThere() {
        FairleadConfig config = FairleadConfig.defaults().with(ConfigKeys.POLICY, PathPolicy.named("ucx"));
        try (Context context = Context.open(config)) {
            return context.transports().stream().anyMatch(one -> one.name().equals("ucx") && one.available());
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

    private static void addGoals(Report report, TlsCost.Results results) {
        List<Goal> goals = report.goals();
        goals.add(Goal.atLeast("tls-bandwidth-1MiB", ofBetterEngine(results, TlsCost.Result::rates), GOAL_TCP));
        goals.add(Goal.atLeast("tls-latency-8B", ofBetterEngine(results, TlsCost.Result::exchangeRates), GOAL_TCP));
        for (TlsContestant bound : List.of(TlsContestant.SHM_JDK, TlsContestant.UCX_JDK)) {
            if (results.has(bound)) {
                TlsContestant plain = bound.reference();
                String name = plain.label();
                goals.add(Goal.atMost(
                        name + "-latency-8B", results.ratio(plain, bound, TlsCost.Result::exchangeRates), GOAL_BOUND));
                goals.add(Goal.atMost(
                        name + "-time-of-1MiB", results.ratio(plain, bound, TlsCost.Result::rates), GOAL_BOUND));
            }
        }
    }

    /** What TLS leaves of a rate of plain TCP. */
    private static double ofBetterEngine(TlsCost.Results results, Function<TlsCost.Result, List<Double>> rate) {
        return Stream.of(TlsContestant.TCP_JDK, TlsContestant.TCP_CONSCRYPT)
                .filter(results::has)
                .mapToDouble(engine -> results.ratio(engine, TlsContestant.TCP, rate))
                .max()
                .orElseThrow();
    }

    private static void print(TlsCost.Results results) {
        System.out.println("two processes of one host, both spinning; medians of rounds, in turns;"
                + " ratios: time to that of the same transport without security, and rate to its rate");
        System.out.printf(
                Locale.ROOT,
                "%-24s %12s %8s %12s %8s %10s %8s %12s %12s%n",
                "",
                "connect ms",
                "ratio",
                "8 B us",
                "ratio",
                "1 MiB GB/s",
                "ratio",
                "bytes/8 B",
                "bytes/1 MiB");
        for (TlsCost.Result result : results.all()) {
            TlsContestant contestant = result.contestant();
            TlsContestant reference = contestant.reference();
            System.out.printf(
                    Locale.ROOT,
                    "%-24s %12.2f %8.3f %12.2f %8.3f %10.2f %8.3f %12.1f %12.1f%n",
                    contestant.label(),
                    Spread.of(result.connectMs).median(),
                    results.ratio(contestant, reference, one -> one.connectMs),
                    Spread.of(result.halfRoundTripUs).median(),
                    results.ratio(contestant, reference, one -> one.halfRoundTripUs),
                    Spread.of(result.gigabytesPerSecond).median(),
                    results.ratio(contestant, reference, TlsCost.Result::rates),
                    Spread.of(result.allocatedSmall).median(),
                    Spread.of(result.allocatedLarge).median());
        }
    }
}
