package io.fairlead.benchmarks;

import io.fairlead.benchmarks.NodeRpc.Case;
import io.fairlead.benchmarks.NodeRpc.Result;
import io.fairlead.benchmarks.RpcTurn.Caller;
import io.fairlead.benchmarks.RpcTurn.Figures;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures requests and replies of nodes beside a plain Netty client and server. */
@Command(
        name = "node-rpc",
        description =
                "Requests of 64 B and their replies between two processes, 1 and 64 in flight: a node over the best path"
                        + " of this host and over TCP, beside a plain Netty client and server.")
final class NodeRpcCommand implements Callable<Integer> {
    private static final String SUITE = "node-rpc";

    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        NodeRpc.Plan plan = options.quick()
                ? new NodeRpc.Plan(20_000, 3, 5_000, 50_000)
                : new NodeRpc.Plan(100_000, 7, 20_000, 300_000);
        List<Result> results = new NodeRpc(plan, System.err::println).run();
        Report report = new Report();
        System.out.println("request and reply of " + RpcPayload.LENGTH
                + " B, two processes; medians over rounds, in turns; in brackets the least and the greatest");
        System.out.printf(
                Locale.ROOT,
                "%-9s %9s %-12s %34s %9s %9s %24s%n",
                "asked by",
                "in flight",
                "",
                "replies/s",
                "p50 us",
                "p99 us",
                "rate to Netty's");
        for (Result result : results) {
            Result netty = results.stream()
                    .filter(other ->
                            other.subject().equals(NodeRpc.NETTY) && other.of().equals(result.of()))
                    .findFirst()
                    .orElseThrow();
            add(report, result, netty);
        }
        return options.finish(report);
    }

    private static void add(Report report, Result result, Result netty) {
        Spread rate = Spread.of(result.all(Figures::perSecond));
        double p50 = Spread.of(result.all(Figures::p50Us)).median();
        double p99 = Spread.of(result.all(Figures::p99Us)).median();
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < result.rounds().size(); i++) {
            ratios.add(
                    result.rounds().get(i).perSecond() / netty.rounds().get(i).perSecond());
        }
        Spread ratio = Spread.of(ratios);
        Case of = result.of();
        String caller = of.caller().name().toLowerCase(Locale.ROOT);
        System.out.printf(
                Locale.ROOT,
                "%-9s %9d %-12s %10.0f (%9.0f to %9.0f) %9.1f %9.1f %6.2f (%.2f to %.2f)%n",
                caller,
                of.inFlight(),
                result.subject(),
                rate.median(),
                rate.least(),
                rate.greatest(),
                p50,
                p99,
                ratio.median(),
                ratio.least(),
                ratio.greatest());
        String name = caller + "-" + of.inFlight();
        row(report, name, result.subject(), "rate", rate.median(), "1/s");
        row(report, name, result.subject(), "p50", p50, "us");
        row(report, name, result.subject(), "p99", p99, "us");
        if (!result.subject().equals(NodeRpc.NETTY)) {
            row(report, name, result.subject() + "/" + NodeRpc.NETTY, "rate", ratio.median(), "ratio");
        }
        if (result.subject().equals(NodeRpc.NODE_TCP)
                && of.inFlight() == NodeRpc.SLOTS
                && of.caller() == Caller.CALLBACK) {
            report.goals().add(Goal.atLeast("node-tcp-rate-to-netty", ratio.median(), 1));
        }
    }

    private static void row(Report report, String name, String subject, String metric, double value, String unit) {
        report.rows().add(new Row(SUITE, name, subject, RpcPayload.LENGTH, metric, value, unit));
    }
}
