package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.RequestSide;
import io.fairlead.benchmarks.contest.RequestSide.Caller;
import io.fairlead.benchmarks.rpc.RpcCommand.Case;
import io.fairlead.benchmarks.rpc.RpcCommand.Results;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.config.ConfigKeys;
import io.grpc.ManagedChannel;
import io.netty.util.Version;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
    /** For latency, and for rate. */
    static final List<Case> CASES = List.of(new Case(Caller.CALLBACK, 1), new Case(Caller.CALLBACK, RequestSide.SLOTS));
    /** Those that Fairlead is measured beside. */
    private static final List<RpcContestant> BESIDE = List.of(RpcContestant.GRPC_DEFAULT, RpcContestant.GRPC_UDS);

    /** Creates it, for picocli. */
    public GrpcCommand() {}

    @Override
    protected void measure(Report report) throws IOException {
        Rounds.Plan plan = quick() ? new Rounds.Plan(3, 500_000_000, 6) : new Rounds.Plan(7, 2_000_000_000, 12);
        Results results = RpcCommand.measure(SUITE, RpcContestant.GRPC, CASES, plan, System.err::println);
        settings(plan, results).forEach(System.out::println);
        add(results.turns(), System.out, report);
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
                RpcContestant.GRPC_DEFAULT.title() + " is TCP by "
                        + results.connections().getOrDefault(RpcContestant.GRPC_DEFAULT, "nothing")
                        + ", which gRPC has picked; " + RpcContestant.GRPC_UDS.title() + " is by epoll",
                "turns of " + plan.turnNs() / 1_000_000 + " ms with 1 call in flight and with " + RequestSide.SLOTS
                        + "; rounds: " + plan.warmUpTurns() + " to warm up at most, " + plan.rounds() + " counted");
    }

    static void add(Map<Case, Map<String, List<Turn>>> results, PrintStream out, Report report) {
        out.println("unary call of " + RpcCommand.SIZE + " B either way, two processes; medians over rounds, in turns;"
                + " in brackets the least and the greatest; times better: of p50 and of rate, by the medians of the"
                + " rounds' ratios");
        TextTable table = new TextTable(
                report,
                SUITE,
                List.of(
                        "in flight",
                        "over",
                        "calls/s",
                        "p50 us",
                        "p99 us",
                        "cpu us",
                        "better than " + BESIDE.getFirst().title(),
                        "better than " + BESIDE.getLast().title()));
        results.forEach((one, turns) -> turns.forEach((subject, rounds) -> {
            String inFlight = String.valueOf(one.inFlight());
            TextTable.Line<Turn> line = table.line(inFlight, "in-flight-" + inFlight, subject, RpcCommand.SIZE, rounds)
                    .text(subject)
                    .spread("rate", "1/s", Turn::perSecond)
                    .spread("p50", "us", Turn::p50Us)
                    .median("p99", "us", Turn::p99Us)
                    .median("processor", "us/call", Turn::processorUs);
            BESIDE.forEach(other -> compare(line, subject, rounds, other.title(), turns));
        }));
        table.print(out);
        for (RpcContestant other : BESIDE) {
            results.forEach((one, turns) -> addGoal(one, turns, other.title(), report.goals()));
        }
    }

    private static void compare(
            TextTable.Line<Turn> line, String subject, List<Turn> rounds, String other, Map<String, List<Turn>> turns) {
        List<Turn> theirs = turns.get(other);
        if (theirs == null || subject.equals(other)) {
            line.text("");
            return;
        }
        double sooner = timesSooner(rounds, theirs);
        double faster = timesTheRate(rounds, theirs);
        line.ratioRow("p50-better", other, sooner)
                .ratioRow("rate", other, faster)
                .text(String.format(Locale.ROOT, "p50 %.2f, rate %.2f", sooner, faster));
    }

    /** How much longer the other's median is. */
    private static double timesSooner(List<Turn> one, List<Turn> other) {
        return Spread.ratio(other, one, Turn::p50Us).median();
    }

    private static double timesTheRate(List<Turn> one, List<Turn> other) {
        return Spread.ratio(one, other, Turn::perSecond).median();
    }

    /** Of Fairlead over shared memory: latency is what one call in flight is for, and rate what many are for. */
    private static void addGoal(Case one, Map<String, List<Turn>> turns, String other, List<Goal> goals) {
        List<Turn> ours = turns.get(RpcContestant.GRPC_SHM.title());
        List<Turn> theirs = turns.get(other);
        if (ours != null && theirs != null) {
            goals.add(
                    one.inFlight() == 1
                            ? Goal.atLeast("shm-1-p50-to-" + other, timesSooner(ours, theirs), GOAL_LATENCY)
                            : Goal.atLeast("shm-64-rate-to-" + other, timesTheRate(ours, theirs), GOAL_RATE));
        }
    }
}
