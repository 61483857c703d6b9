package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.rpc.GrpcUnary.Result;
import io.fairlead.benchmarks.rpc.GrpcUnary.Results;
import io.fairlead.benchmarks.rpc.GrpcUnary.Turn;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What {@link GrpcUnary} has measured, as rows, goals and lines of a table. */
final class GrpcReport {
    private static final String SUITE = "grpc";
    private static final double GOAL_LATENCY = 1.5;
    private static final double GOAL_RATE = 1.3;

    private final Results results;
    private final Report report = new Report();
    private final List<String> lines = new ArrayList<>();

    private GrpcReport(Results results) {
        this.results = results;
    }

    static GrpcReport of(Results results) {
        GrpcReport made = new GrpcReport(results);
        made.addHead();
        results.all().forEach(made::add);
        made.addGoals();
        return made;
    }

    Report report() {
        return report;
    }

    /** The table. */
    List<String> lines() {
        return lines;
    }

    private void addHead() {
        lines.add("unary call of " + RpcPayload.LENGTH + " B either way, two processes; medians over rounds, in turns;"
                + " in brackets the least and the greatest; times better: of p50 and of rate, by the medians of the"
                + " rounds' ratios");
        lines.add(String.format(
                Locale.ROOT,
                "%9s %-13s %30s %24s %9s %8s %26s %26s",
                "in flight",
                "over",
                "calls/s",
                "p50 us",
                "p99 us",
                "cpu us",
                "better than " + GrpcContestant.DEFAULT.label(),
                "better than " + GrpcContestant.UDS.label()));
    }

    private void add(Result result) {
        Spread rate = Spread.of(result.all(Turn::perSecond));
        Spread p50 = Spread.of(result.all(Turn::p50Us));
        double p99 = Spread.of(result.all(Turn::p99Us)).median();
        double processor = Spread.of(result.all(Turn::processorUs)).median();
        String subject = result.subject().label();
        row(result, subject, "rate", rate.median(), "1/s");
        row(result, subject, "p50", p50.median(), "us");
        row(result, subject, "p99", p99, "us");
        row(result, subject, "processor", processor, "us/call");
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%9d %-13s %9.0f (%8.0f to %8.0f) %7.1f (%6.1f to %6.1f) %9.1f %8.1f",
                result.inFlight(),
                subject,
                rate.median(),
                rate.least(),
                rate.greatest(),
                p50.median(),
                p50.least(),
                p50.greatest(),
                p99,
                processor));
        for (GrpcContestant rival : GrpcContestant.RIVALS) {
            line.append(String.format(Locale.ROOT, " %26s", compare(result, rival)));
        }
        lines.add(line.toString());
    }

    /** Adds how a result is to that of a rival, and says it. */
    private String compare(Result result, GrpcContestant rival) {
        Optional<Result> other = results.of(rival, result.inFlight());
        if (result.subject() == rival || other.isEmpty()) {
            return "";
        }
        double latency = timesSooner(result, other.get());
        double rate = timesTheRate(result, other.get());
        String subject = result.subject().label() + "/" + rival.label();
        row(result, subject, "p50-better", latency, "ratio");
        row(result, subject, "rate", rate, "ratio");
        return String.format(Locale.ROOT, "p50 %.2f, rate %.2f", latency, rate);
    }

    /** How much longer the other's median is. */
    private static double timesSooner(Result one, Result other) {
        return ratio(other.all(Turn::p50Us), one.all(Turn::p50Us));
    }

    private static double timesTheRate(Result one, Result other) {
        return ratio(one.all(Turn::perSecond), other.all(Turn::perSecond));
    }

    private static double ratio(List<Double> ones, List<Double> others) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ones.size(); i++) {
            ratios.add(ones.get(i) / others.get(i));
        }
        return Spread.of(ratios).median();
    }

    /** Latency is what one call in flight is for, and rate what many are for. */
    private void addGoals() {
        Optional<Result> alone = results.of(GrpcContestant.SHM, 1);
        Optional<Result> windowed = results.of(GrpcContestant.SHM, RpcComparison.SLOTS);
        if (alone.isEmpty() || windowed.isEmpty()) {
            return;
        }
        for (GrpcContestant rival : GrpcContestant.RIVALS) {
            results.of(rival, 1)
                    .ifPresent(other -> report.goals()
                            .add(Goal.atLeast(
                                    "shm-1-p50-to-" + rival.label(), timesSooner(alone.get(), other), GOAL_LATENCY)));
            results.of(rival, RpcComparison.SLOTS)
                    .ifPresent(other -> report.goals()
                            .add(Goal.atLeast(
                                    "shm-64-rate-to-" + rival.label(),
                                    timesTheRate(windowed.get(), other),
                                    GOAL_RATE)));
        }
    }

    private void row(Result result, String subject, String metric, double value, String unit) {
        report.rows()
                .add(new Row(SUITE, "in-flight-" + result.inFlight(), subject, RpcPayload.LENGTH, metric, value, unit));
    }
}
