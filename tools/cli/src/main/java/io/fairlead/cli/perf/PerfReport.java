package io.fairlead.cli.perf;

import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.perf.PerfResult.Ratio;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Writes what was measured, as rows and goals of a report and as tables. */
public final class PerfReport {
    private static final String SUITE = "perf";
    private static final double MEGA = 1e6;
    private static final int WORD = 8;
    private static final int PAGE = 4096;
    private static final int MIB = 1 << 20;
    private static final String UCX_GOAL = "ucx-goal";

    /** What Fairlead's figure is to be beside that of {@code ucx_perftest}: a limit that must hold, or a goal to aim for. */
    private record Target(PerfTest test, int size, String kind, double ratio) {}

    private static final Ratio SHARED_MEMORY = new Ratio(PerfResult.FAIRLEAD, Perftest.TITLE);
    private static final Ratio UCX = new Ratio(PerfResult.OVER_UCX, Perftest.WITH_ERROR_HANDLING);

    private static final List<Target> TARGETS = List.of(
            new Target(PerfTest.TAG_LAT, WORD, "limit", 1.25),
            new Target(PerfTest.TAG_LAT, WORD, "goal", 1.10),
            new Target(PerfTest.TAG_BW, WORD, "limit", 0.6),
            new Target(PerfTest.TAG_BW, WORD, "goal", 0.9),
            new Target(PerfTest.PUT_LAT, WORD, "goal", 1.15),
            new Target(PerfTest.PUT_LAT, PAGE, "goal", 1.0),
            new Target(PerfTest.PUT_BW, WORD, "goal", 0.9),
            new Target(PerfTest.PUT_BW, MIB, "limit", 0.95),
            new Target(PerfTest.PUT_BW, MIB, "goal", 0.97),
            new Target(PerfTest.GET_LAT, WORD, "limit", 1.5),
            new Target(PerfTest.GET_LAT, WORD, "goal", 1.15),
            new Target(PerfTest.GET_LAT, PAGE, "limit", 1.25),
            new Target(PerfTest.GET_LAT, PAGE, "goal", 1.0),
            new Target(PerfTest.GET_BW, WORD, "goal", 0.9),
            new Target(PerfTest.GET_BW, MIB, "limit", 0.95),
            new Target(PerfTest.GET_BW, MIB, "goal", 0.97));

    private static final List<Target> UCX_TARGETS = List.of(
            new Target(PerfTest.TAG_LAT, WORD, UCX_GOAL, 1.25),
            new Target(PerfTest.TAG_LAT, PAGE, UCX_GOAL, 1.1),
            new Target(PerfTest.TAG_BW, WORD, UCX_GOAL, 0.7),
            new Target(PerfTest.TAG_BW, MIB, UCX_GOAL, 0.95),
            new Target(PerfTest.PUT_LAT, WORD, UCX_GOAL, 1.5),
            new Target(PerfTest.PUT_BW, WORD, UCX_GOAL, 0.4),
            new Target(PerfTest.PUT_BW, MIB, UCX_GOAL, 0.9),
            new Target(PerfTest.GET_LAT, WORD, UCX_GOAL, 2.0),
            new Target(PerfTest.GET_LAT, PAGE, UCX_GOAL, 1.3),
            new Target(PerfTest.GET_BW, MIB, UCX_GOAL, 0.9),
            new Target(PerfTest.FADD, WORD, UCX_GOAL, 2.0));

    private PerfReport() {}

    public static Report report(List<PerfResult> results) {
        Report report = new Report();
        for (PerfResult result : results) {
            result.turns().forEach((subject, turns) -> addSubject(report, result, subject, turns));
            for (Ratio ratio : result.ratios()) {
                result.spread(ratio)
                        .ifPresent(spread ->
                                addSpread(report, result, ratio.toString(), result.metric(), spread, "ratio"));
            }
            report.goals().addAll(goals(result));
        }
        return report;
    }

    private static void addSubject(Report report, PerfResult result, String subject, List<Turn> turns) {
        int trips = result.work().test().trips();
        // The C program reports neither its percentiles nor any heap.
        boolean known = !Double.isNaN(turns.getFirst().allocated());
        if (result.isRate()) {
            Spread rate = Spread.of(turns, Turn::perSecond);
            addSpread(report, result, subject, "rate", rate, "operations/s");
            add(report, result, subject, "bandwidth", megabytes(result, rate.median()), "MB/s");
            add(report, result, subject, "window", result.work().window(), "operations");
        } else {
            addSpread(report, result, subject, "p50", Spread.of(turns, turn -> turn.p50Us() / trips), "us");
            add(report, result, subject, "mean", result.median(turns, Turn::meanUs), "us");
            if (known) {
                add(report, result, subject, "p90", result.median(turns, Turn::p90Us), "us");
                add(report, result, subject, "p99", result.median(turns, Turn::p99Us), "us");
                add(report, result, subject, "p99.9", result.median(turns, Turn::p999Us), "us");
                add(report, result, subject, "max", max(result, turns), "us");
                add(report, result, subject, "batch", result.batch(), "operations");
            }
        }
        if (known) {
            add(report, result, subject, "allocated", Spread.median(turns, Turn::allocated), "bytes/operation");
        }
    }

    private static double max(PerfResult result, List<Turn> turns) {
        return Spread.of(turns, Turn::maxUs).greatest() / result.work().test().trips();
    }

    private static void addSpread(
            Report report, PerfResult result, String subject, String metric, Spread spread, String unit) {
        add(report, result, subject, metric, spread.median(), unit);
        add(report, result, subject, metric + "-min", spread.least(), unit);
        add(report, result, subject, metric + "-max", spread.greatest(), unit);
    }

    private static void add(
            Report report, PerfResult result, String subject, String metric, double value, String unit) {
        Work work = result.work();
        report.add(SUITE, work.test().label(), subject, work.size(), metric, value, unit);
    }

    private static double megabytes(PerfResult result, double rate) {
        return rate * result.work().size() / MEGA;
    }

    /** The goals that a result has a figure for. */
    static List<Goal> goals(PerfResult result) {
        List<Goal> goals = new ArrayList<>();
        addGoals(goals, result, SHARED_MEMORY, TARGETS);
        addGoals(goals, result, UCX, UCX_TARGETS);
        // As tables show it. What is less is allocated by rounds, of a hundred thousand operations and more.
        double bytes = Math.round(Spread.median(result.fairlead(), Turn::allocated) * 1000) / 1000.0;
        goals.add(Goal.atMost(id(result) + "allocation", bytes, 0));
        return goals;
    }

    private static void addGoals(List<Goal> goals, PerfResult result, Ratio ratio, List<Target> targets) {
        result.spread(ratio).ifPresent(spread -> {
            for (Target target : targets) {
                if (target.test() == result.work().test()
                        && target.size() == result.work().size()) {
                    String name = id(result) + result.metric() + "-" + target.kind();
                    goals.add(
                            result.isRate()
                                    ? Goal.atLeast(name, spread.median(), target.ratio())
                                    : Goal.atMost(name, spread.median(), target.ratio()));
                }
            }
        });
    }

    private static String id(PerfResult result) {
        return result.work().test().label() + "-" + result.work().size() + "B-";
    }

    /** Fairlead's own figures. */
    public static List<String> table(List<PerfResult> results) {
        List<String> lines = new ArrayList<>();
        List<PerfResult> latencies =
                results.stream().filter(result -> !result.isRate()).toList();
        if (!latencies.isEmpty()) {
            lines.add(line(
                    "%-10s %8s %10s %10s %10s %10s %10s %10s %6s %10s",
                    "us", "size", "p50", "mean", "p90", "p99", "p99.9", "max", "batch", "bytes/op"));
            latencies.forEach(result -> lines.add(latency(result)));
        }
        List<PerfResult> rates = results.stream().filter(PerfResult::isRate).toList();
        if (!rates.isEmpty()) {
            lines.add(line(
                    "%-10s %8s %7s %12s %27s %12s %10s",
                    "a second", "size", "window", "operations", "(min to max)", "MB", "bytes/op"));
            rates.forEach(result -> lines.add(rate(result)));
        }
        return lines;
    }

    private static String latency(PerfResult result) {
        List<Turn> turns = result.fairlead();
        return line(
                "%-10s %8s %10.3f %10.3f %10.3f %10.3f %10.3f %10.3f %6d %10.3f",
                result.work().test().label(),
                PerfPlan.sizeText(result.work().size()),
                result.median(turns, Turn::p50Us),
                result.median(turns, Turn::meanUs),
                result.median(turns, Turn::p90Us),
                result.median(turns, Turn::p99Us),
                result.median(turns, Turn::p999Us),
                max(result, turns),
                result.batch(),
                Spread.median(turns, Turn::allocated));
    }

    private static String rate(PerfResult result) {
        Spread rate = Spread.of(result.fairlead(), Turn::perSecond);
        return line(
                "%-10s %8s %7d %12.0f %27s %12.1f %10.3f",
                result.work().test().label(),
                PerfPlan.sizeText(result.work().size()),
                result.work().window(),
                rate.median(),
                line("(%.0f to %.0f)", rate.least(), rate.greatest()),
                megabytes(result, rate.median()),
                Spread.median(result.fairlead(), Turn::allocated));
    }

    /** Fairlead beside the other contestants, some of which may be without some of the tests. */
    static List<String> comparison(List<PerfResult> results) {
        List<String> others = results.stream()
                .flatMap(result -> result.others().stream())
                .distinct()
                .toList();
        List<Ratio> ratios = results.stream()
                .flatMap(result -> result.ratios().stream())
                .distinct()
                .toList();
        List<String> lines = new ArrayList<>();
        lines.add(line("%-8s %8s %5s %5s %11s", "", "size", "of", "unit", "fairlead")
                + others.stream().map(other -> line(" %14s", other)).collect(Collectors.joining())
                + ratios.stream().map(ratio -> line("   %-24s", heading(ratio))).collect(Collectors.joining())
                + line(" %9s", "bytes/op"));
        for (PerfResult result : results) {
            lines.add(line(
                            "%-8s %8s %5s %5s %11s",
                            result.work().test().label(),
                            PerfPlan.sizeText(result.work().size()),
                            result.metric(),
                            unit(result),
                            figure(result, PerfResult.FAIRLEAD))
                    + others.stream()
                            .map(other -> line(" %14s", figure(result, other)))
                            .collect(Collectors.joining())
                    + ratios.stream()
                            .map(ratio -> line("   %-24s", ratio(result, ratio)))
                            .collect(Collectors.joining())
                    + line(" %9.3f", Spread.median(result.fairlead(), Turn::allocated)));
        }
        return lines;
    }

    private static String unit(PerfResult result) {
        return !result.isRate() ? "us" : showsBytes(result) ? "MB/s" : "M/s";
    }

    /** Short operations are counted, of long ones the bytes. */
    private static boolean showsBytes(PerfResult result) {
        return result.work().size() >= PAGE;
    }

    private static String figure(PerfResult result, String subject) {
        return result.turns(subject)
                .map(turns -> {
                    double figure = Spread.median(turns, result.figure());
                    if (!result.isRate()) {
                        return line("%.3f", figure);
                    }
                    return showsBytes(result) ? line("%.0f", megabytes(result, figure)) : line("%.3f", figure / MEGA);
                })
                .orElse("-");
    }

    private static String heading(Ratio ratio) {
        return ratio.subject().equals(PerfResult.FAIRLEAD)
                ? "to " + ratio.other() + " (min-max)"
                : ratio.subject() + " to " + ratio.other();
    }

    private static String ratio(PerfResult result, Ratio ratio) {
        return result.spread(ratio)
                .map(spread -> line("%.3f (%.3f to %.3f)", spread.median(), spread.least(), spread.greatest()))
                .orElse("-");
    }

    private static String line(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
