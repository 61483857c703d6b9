package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import io.fairlead.config.ConfigKeys;
import io.grpc.ManagedChannel;
import io.netty.util.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** Measures gRPC over Fairlead's channels beside gRPC over its own. A reply's callback makes the next call, on the event loop. */
@Command(
        name = "grpc",
        description =
                "Unary calls of gRPC of 64 B between two processes, 1 and 64 in flight: over Fairlead's channels for"
                        + " Netty, by shared memory and by TCP, beside gRPC's default TCP and Unix domain sockets.")
public final class GrpcCommand extends Comparison {
    private static final String SUITE = "grpc";
    private static final double GOAL_LATENCY = 1.5;
    private static final double GOAL_RATE = 1.3;
    /** How many calls are in flight at once: for latency, and for rate. */
    static final List<Integer> IN_FLIGHT = List.of(1, RpcClient.SLOTS);

    /**
     * The figures.
     *
     * @param defaultCarrier what gRPC has picked by itself
     * @param turns by calls in flight, then by contestant
     */
    record Results(String defaultCarrier, Map<Integer, Map<String, List<Turn>>> turns) {
        Optional<List<Turn>> of(GrpcContestant contestant, int inFlight) {
            return Optional.ofNullable(turns.getOrDefault(inFlight, Map.of()).get(contestant.label()));
        }
    }

    /** Creates it, for picocli. */
    public GrpcCommand() {}

    @Override
    protected void measure(Report report) throws IOException {
        Rounds.Plan plan = quick() ? new Rounds.Plan(3, 500_000_000, 6) : new Rounds.Plan(7, 2_000_000_000, 12);
        Results results = measure(GrpcContestant.available(), plan, System.err::println);
        settings(plan, results).forEach(System.out::println);
        add(results, System.out, report);
    }

    static Results measure(List<GrpcContestant> contestants, Rounds.Plan plan, Consumer<String> progress)
            throws IOException {
        Map<Integer, Map<String, List<Turn>>> turns = new LinkedHashMap<>();
        try (RpcClients clients = new RpcClients(RpcClients.Extent.GRPC, contestants)) {
            for (int inFlight : IN_FLIGHT) {
                List<Contestant> taking = new ArrayList<>();
                clients.clients()
                        .forEach((title, client) ->
                                taking.add(clients.contestant(title, client, Caller.CALLBACK, inFlight)));
                Work work = Work.numbered(PerfTest.TAG_LAT, RpcPayload.LENGTH);
                turns.put(inFlight, new Rounds(plan, progress).run("grpc: " + inFlight + " in flight", work, taking));
            }
            RpcClient byDefault = clients.clients().get(GrpcContestant.DEFAULT.label());
            return new Results(byDefault instanceof GrpcClient client ? client.carriedBy() : "nothing", turns);
        }
    }

    private static List<String> settings(Rounds.Plan plan, Results results) {
        String netty = Optional.ofNullable(Version.identify().get("netty-transport"))
                .map(Version::artifactVersion)
                .orElse("of no known version");
        return List.of(
                "gRPC " + ManagedChannel.class.getPackage().getImplementationVersion() + ", Netty " + netty + ", JDK "
                        + Runtime.version()
                        + ", " + Runtime.getRuntime().availableProcessors() + " processors",
                "one connection each, in plain text; one event loop on either side, on which calls are made and answered"
                        + " (directExecutor); Fairlead's idle.strategy="
                        + FairleadConfig.defaults().value(ConfigKeys.IDLE_STRATEGY) + ", the others' as they come",
                GrpcContestant.DEFAULT.label() + " is TCP by " + results.defaultCarrier() + ", which gRPC has picked; "
                        + GrpcContestant.UDS.label() + " is by epoll",
                "turns of " + plan.turnNs() / 1_000_000 + " ms with 1 call in flight and with " + RpcClient.SLOTS
                        + "; rounds: " + plan.warmUpTurns() + " to warm up at most, " + plan.rounds() + " counted");
    }

    static void add(Results results, PrintStream out, Report report) {
        out.println(
                "unary call of " + RpcPayload.LENGTH + " B either way, two processes; medians over rounds, in turns;"
                        + " in brackets the least and the greatest; times better: of p50 and of rate, by the medians of the"
                        + " rounds' ratios");
        out.printf(
                Locale.ROOT,
                "%9s %-13s %30s %24s %9s %8s %26s %26s%n",
                "in flight",
                "over",
                "calls/s",
                "p50 us",
                "p99 us",
                "cpu us",
                "better than " + GrpcContestant.DEFAULT.label(),
                "better than " + GrpcContestant.UDS.label());
        results.turns()
                .forEach((inFlight, turns) -> turns.forEach(
                        (subject, rounds) -> out.println(add(results, inFlight, subject, rounds, report))));
        for (GrpcContestant other : GrpcContestant.BESIDE) {
            goal(results, 1, other, GrpcCommand::timesSooner)
                    .ifPresent(ratio ->
                            report.goals().add(Goal.atLeast("shm-1-p50-to-" + other.label(), ratio, GOAL_LATENCY)));
            goal(results, RpcClient.SLOTS, other, GrpcCommand::timesTheRate)
                    .ifPresent(ratio ->
                            report.goals().add(Goal.atLeast("shm-64-rate-to-" + other.label(), ratio, GOAL_RATE)));
        }
    }

    private static String add(Results results, int inFlight, String subject, List<Turn> rounds, Report report) {
        Spread rate = Spread.of(rounds, Turn::perSecond);
        Spread p50 = Spread.of(rounds, Turn::p50Us);
        double p99 = Spread.median(rounds, Turn::p99Us);
        double processor = Spread.median(rounds, Turn::processorUs);
        row(report, inFlight, subject, "rate", rate.median(), "1/s");
        row(report, inFlight, subject, "p50", p50.median(), "us");
        row(report, inFlight, subject, "p99", p99, "us");
        row(report, inFlight, subject, "processor", processor, "us/call");
        StringBuilder line = new StringBuilder(String.format(
                Locale.ROOT,
                "%9d %-13s %9.0f (%8.0f to %8.0f) %7.1f (%6.1f to %6.1f) %9.1f %8.1f",
                inFlight,
                subject,
                rate.median(),
                rate.least(),
                rate.greatest(),
                p50.median(),
                p50.least(),
                p50.greatest(),
                p99,
                processor));
        for (GrpcContestant other : GrpcContestant.BESIDE) {
            Optional<List<Turn>> theirs = results.of(other, inFlight).filter(_ -> !subject.equals(other.label()));
            line.append(String.format(
                    Locale.ROOT,
                    " %26s",
                    theirs.map(turns -> {
                                double sooner = timesSooner(rounds, turns);
                                double faster = timesTheRate(rounds, turns);
                                String both = subject + "/" + other.label();
                                row(report, inFlight, both, "p50-better", sooner, "ratio");
                                row(report, inFlight, both, "rate", faster, "ratio");
                                return String.format(Locale.ROOT, "p50 %.2f, rate %.2f", sooner, faster);
                            })
                            .orElse("")));
        }
        return line.toString();
    }

    /** How much longer the other's median is. */
    private static double timesSooner(List<Turn> one, List<Turn> other) {
        return Spread.ratio(other, one, Turn::p50Us).median();
    }

    private static double timesTheRate(List<Turn> one, List<Turn> other) {
        return Spread.ratio(one, other, Turn::perSecond).median();
    }

    /** Of Fairlead over shared memory: latency is what one call in flight is for, and rate what many are for. */
    private static Optional<Double> goal(
            Results results, int inFlight, GrpcContestant other, BiFunction<List<Turn>, List<Turn>, Double> figure) {
        return results.of(GrpcContestant.SHM, inFlight)
                .flatMap(ours -> results.of(other, inFlight).map(theirs -> figure.apply(ours, theirs)));
    }

    private static void row(Report report, int inFlight, String subject, String metric, double value, String unit) {
        report.add(SUITE, "in-flight-" + inFlight, subject, RpcPayload.LENGTH, metric, value, unit);
    }
}
