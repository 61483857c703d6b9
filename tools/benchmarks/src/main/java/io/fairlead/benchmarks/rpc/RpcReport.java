package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.contest.Rounds;
import io.fairlead.benchmarks.contest.Turn;
import io.fairlead.benchmarks.rpc.RpcComparison.Case;
import io.fairlead.benchmarks.rpc.RpcComparison.Result;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/** What {@link RpcComparison} has measured, as a table, rows and goals. */
public final class RpcReport {
    private static final String SUITE = "rpc";
    private static final Rounds.Plan QUICK = new Rounds.Plan(3, 200_000_000, 16);
    private static final Rounds.Plan FULL = new Rounds.Plan(5, 300_000_000, 12);

    private final PrintStream out;
    private final Report report;

    /**
     * Prepares.
     *
     * @param out takes the table
     * @param report takes the figures and goals
     */
    public RpcReport(PrintStream out, Report report) {
        this.out = out;
        this.report = report;
    }

    /**
     * Measures.
     *
     * @param quick a few short rounds
     * @param progress takes a line for each step
     */
    public void measure(boolean quick, Consumer<String> progress) {
        measure(RpcComparison.Extent.ALL, quick ? QUICK : FULL, progress);
    }

    /**
     * Measures what goals are set for, in a few short rounds.
     *
     * @param progress takes a line for each step
     */
    public void measureGoals(Consumer<String> progress) {
        measure(RpcComparison.Extent.GOALS, QUICK, progress);
    }

    private void measure(RpcComparison.Extent extent, Rounds.Plan plan, Consumer<String> progress) {
        out.println();
        out.println(SUITE + ": request and reply of " + RpcPayload.LENGTH + " B, two processes; medians of "
                + plan.rounds() + " rounds in turns, in brackets the least and the greatest");
        add(new RpcComparison(extent, plan, progress).run());
    }

    void add(List<Result> results) {
        for (Case one : RpcComparison.CASES) {
            List<Result> ofCase =
                    results.stream().filter(result -> result.of().equals(one)).toList();
            if (ofCase.isEmpty()) {
                continue;
            }
            out.printf(
                    Locale.ROOT,
                    "%n%-16s %34s %9s %9s %26s%n",
                    one.label(),
                    "replies/s",
                    "p50 us",
                    "p99 us",
                    "rate to " + RpcComparison.NETTY);
            for (Result result : ofCase) {
                add(result, find(ofCase, RpcComparison.NETTY));
            }
            addGoals(one, ofCase);
        }
    }

    private static Optional<Result> find(List<Result> results, String subject) {
        return results.stream()
                .filter(result -> result.subject().equals(subject))
                .findFirst();
    }

    private void add(Result result, Optional<Result> netty) {
        Spread rate = Spread.of(result.all(Turn::perSecond));
        double p50 = Spread.of(result.all(Turn::p50Us)).median();
        double p99 = Spread.of(result.all(Turn::p99Us)).median();
        String ratioText = netty.map(other -> ratio(result, other, Turn::perSecond))
                .map(ratio -> String.format(
                        Locale.ROOT, "%8.2f (%.2f to %.2f)", ratio.median(), ratio.least(), ratio.greatest()))
                .orElse("");
        out.printf(
                Locale.ROOT,
                "%-16s %10.0f (%9.0f to %9.0f) %9.1f %9.1f %s%n",
                result.subject(),
                rate.median(),
                rate.least(),
                rate.greatest(),
                p50,
                p99,
                ratioText);
        row(result, result.subject(), "rate", rate.median(), "1/s");
        row(result, result.subject(), "p50", p50, "us");
        row(result, result.subject(), "p99", p99, "us");
        netty.filter(other -> !other.subject().equals(result.subject()))
                .ifPresent(other -> row(
                        result,
                        result.subject() + "/" + RpcComparison.NETTY,
                        "rate",
                        ratio(result, other, Turn::perSecond).median(),
                        "ratio"));
    }

    private void row(Result result, String subject, String metric, double value, String unit) {
        report.rows().add(new Row(SUITE, result.of().label(), subject, RpcPayload.LENGTH, metric, value, unit));
    }

    private void addGoals(Case one, List<Result> results) {
        if (one.caller() != Caller.CALLBACK) {
            return;
        }
        String best = RpcComparison.REQUEST + "shm";
        if (one.inFlight() == 1) {
            goal(results, best, RpcComparison.NETTY, Turn::p50Us)
                    .ifPresent(ratio -> add(Goal.atMost(id(one, "p50", best, RpcComparison.NETTY), ratio, 0.5)));
            return;
        }
        atLeast(results, one, best, RpcComparison.NETTY, 2);
        atLeast(results, one, RpcComparison.REQUEST_TCP, RpcComparison.NETTY, 1.2);
        atLeast(results, one, best, GrpcContestant.DEFAULT.label(), 3);
    }

    private void atLeast(List<Result> results, Case one, String subject, String rival, double bound) {
        goal(results, subject, rival, Turn::perSecond)
                .ifPresent(ratio -> add(Goal.atLeast(id(one, "rate", subject, rival), ratio, bound)));
    }

    private void add(Goal goal) {
        report.goals().add(goal);
    }

    private static String id(Case one, String metric, String subject, String rival) {
        return SUITE + "-" + one.label() + " " + metric + " " + subject + "/" + rival;
    }

    /** Nothing where either was left out. */
    private static Optional<Double> goal(
            List<Result> results, String subject, String rival, ToDoubleFunction<Turn> figure) {
        return find(results, subject)
                .flatMap(mine -> find(results, rival)
                        .map(other -> ratio(mine, other, figure).median()));
    }

    private static Spread ratio(Result subject, Result rival, ToDoubleFunction<Turn> figure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < subject.rounds().size(); i++) {
            ratios.add(figure.applyAsDouble(subject.rounds().get(i))
                    / figure.applyAsDouble(rival.rounds().get(i)));
        }
        return Spread.of(ratios);
    }
}
