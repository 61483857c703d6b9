package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;

/** Measures requests and replies of nodes beside Netty's and gRPC's. Every thread idles as it does by default. */
@Command(
        name = "rpc",
        description =
                "Requests of 64 B and their replies between two processes, 1 and 64 in flight: a node over the best path"
                        + " of this host and over TCP, beside a plain Netty client and server, and gRPC.")
public final class RpcCommand extends Comparison {
    private static final String SUITE = "rpc";
    private static final Rounds.Plan QUICK = new Rounds.Plan(3, 200_000_000, 16);
    private static final Rounds.Plan FULL = new Rounds.Plan(5, 300_000_000, 12);
    static final List<Case> CASES = List.of(
            new Case(Caller.CALLBACK, 1),
            new Case(Caller.CALLBACK, RpcClient.SLOTS),
            new Case(Caller.THREAD, 1),
            new Case(Caller.THREAD, RpcClient.SLOTS));

    /**
     * What the contestants do in the same way.
     *
     * @param caller who asks for the next reply
     * @param inFlight requests that wait for their replies at once
     */
    record Case(Caller caller, int inFlight) {
        /** As tables have it. */
        String label() {
            return caller.name().toLowerCase(Locale.ROOT) + "-" + inFlight;
        }
    }

    /** Creates it, for picocli. */
    public RpcCommand() {}

    @Override
    protected void measure(Report report) throws IOException {
        Load.check();
        measure(quick(), report);
        Load.check();
    }

    /** Measures all contestants in all cases, and prints the tables. */
    public static void measure(boolean quick, Report report) throws IOException {
        measure(CASES, quick ? QUICK : FULL, _ -> true, report);
    }

    /** Measures what goals are set for, in a few short rounds. */
    public static void measureGoals(Report report) throws IOException {
        Set<String> others = Set.of(RpcClients.NETTY, GrpcContestant.DEFAULT.label());
        measure(
                CASES.stream().filter(one -> one.caller() == Caller.CALLBACK).toList(),
                QUICK,
                title -> others.contains(title) || title.startsWith(RpcClients.REQUEST),
                report);
    }

    private static void measure(List<Case> cases, Rounds.Plan plan, Predicate<String> chosen, Report report)
            throws IOException {
        System.out.println();
        System.out.println(SUITE + ": request and reply of " + RpcPayload.LENGTH + " B, two processes; medians of "
                + plan.rounds() + " rounds in turns, in brackets the least and the greatest");
        measure(cases, plan, chosen, System.err::println)
                .forEach((one, results) -> add(one, results, System.out, report));
    }

    static Map<Case, Map<String, List<Turn>>> measure(
            List<Case> cases, Rounds.Plan plan, Predicate<String> chosen, Consumer<String> progress)
            throws IOException {
        List<GrpcContestant> grpc = GrpcContestant.available().stream()
                .filter(GrpcContestant.BESIDE::contains)
                .toList();
        Map<Case, Map<String, List<Turn>>> results = new LinkedHashMap<>();
        try (RpcClients clients = new RpcClients(RpcClients.Extent.ALL, grpc)) {
            for (Case one : cases) {
                List<Contestant> taking = new ArrayList<>();
                clients.clients().forEach((title, client) -> {
                    if (chosen.test(title)) {
                        taking.add(clients.contestant(title, client, one.caller(), one.inFlight()));
                    }
                });
                Work work = Work.numbered(PerfTest.TAG_LAT, RpcPayload.LENGTH);
                results.put(one, new Rounds(plan, progress).run(SUITE + " " + one.label(), work, taking));
            }
        }
        return results;
    }

    static void add(Case one, Map<String, List<Turn>> results, PrintStream out, Report report) {
        out.printf(
                Locale.ROOT,
                "%n%-16s %34s %9s %9s %26s%n",
                one.label(),
                "replies/s",
                "p50 us",
                "p99 us",
                "rate to " + RpcClients.NETTY);
        Optional<List<Turn>> netty = Optional.ofNullable(results.get(RpcClients.NETTY));
        results.forEach((subject, turns) -> {
            Spread rate = Spread.of(turns, Turn::perSecond);
            double p50 = Spread.median(turns, Turn::p50Us);
            double p99 = Spread.median(turns, Turn::p99Us);
            Optional<Spread> ratio = netty.map(other -> Spread.ratio(turns, other, Turn::perSecond));
            out.printf(
                    Locale.ROOT,
                    "%-16s %10.0f (%9.0f to %9.0f) %9.1f %9.1f %s%n",
                    subject,
                    rate.median(),
                    rate.least(),
                    rate.greatest(),
                    p50,
                    p99,
                    ratio.map(of -> String.format(
                                    Locale.ROOT, "%8.2f (%.2f to %.2f)", of.median(), of.least(), of.greatest()))
                            .orElse(""));
            row(report, one, subject, "rate", rate.median(), "1/s");
            row(report, one, subject, "p50", p50, "us");
            row(report, one, subject, "p99", p99, "us");
            if (!subject.equals(RpcClients.NETTY)) {
                ratio.ifPresent(of -> row(report, one, subject + "/" + RpcClients.NETTY, "rate", of.median(), "ratio"));
            }
        });
        if (one.caller() == Caller.CALLBACK) {
            addGoals(one, results, report);
        }
    }

    private static void row(Report report, Case one, String subject, String metric, double value, String unit) {
        report.add(SUITE, one.label(), subject, RpcPayload.LENGTH, metric, value, unit);
    }

    private static void addGoals(Case one, Map<String, List<Turn>> results, Report report) {
        String best = RpcClients.REQUEST + "shm";
        if (one.inFlight() == 1) {
            String id = SUITE + "-" + one.label() + " p50 " + best + "/" + RpcClients.NETTY;
            ratio(results, best, RpcClients.NETTY, Turn::p50Us)
                    .ifPresent(ratio -> report.goals().add(Goal.atMost(id, ratio, 0.5)));
            return;
        }
        atLeast(one, results, best, RpcClients.NETTY, 2, report);
        atLeast(one, results, RpcClients.REQUEST_TCP, RpcClients.NETTY, 1.2, report);
        atLeast(one, results, best, GrpcContestant.DEFAULT.label(), 3, report);
    }

    private static void atLeast(
            Case one, Map<String, List<Turn>> results, String subject, String other, double bound, Report report) {
        String id = SUITE + "-" + one.label() + " rate " + subject + "/" + other;
        ratio(results, subject, other, Turn::perSecond)
                .ifPresent(ratio -> report.goals().add(Goal.atLeast(id, ratio, bound)));
    }

    /** Nothing where either was left out. */
    private static Optional<Double> ratio(
            Map<String, List<Turn>> results, String subject, String other, ToDoubleFunction<Turn> figure) {
        List<Turn> ones = results.get(subject);
        List<Turn> others = results.get(other);
        return ones == null || others == null
                ? Optional.empty()
                : Optional.of(Spread.ratio(ones, others, figure).median());
    }
}
