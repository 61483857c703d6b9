package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.RequestSide;
import io.fairlead.benchmarks.contest.RequestSide.Caller;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Goal;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;

/** Measures requests and replies of nodes beside Netty's and gRPC's. Every thread idles as it does by default. */
@Command(
        name = "rpc",
        description =
                "Requests of 64 B and their replies between two processes, 1 and 64 in flight: a node over the best path"
                        + " of this host and over TCP, beside a plain Netty client and server, and gRPC.")
public final class RpcCommand extends Comparison {
    /** Bytes of a request, and of its reply. */
    static final int SIZE = 64;

    private static final String SUITE = "rpc";
    private static final Rounds.Plan QUICK = new Rounds.Plan(3, 200_000_000, 16);
    private static final Rounds.Plan FULL = new Rounds.Plan(5, 300_000_000, 12);

    static final List<Case> CASES = List.of(
            new Case(Caller.CALLBACK, 1),
            new Case(Caller.CALLBACK, RequestSide.SLOTS),
            new Case(Caller.THREAD, 1),
            new Case(Caller.THREAD, RequestSide.SLOTS));

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

    /**
     * The figures.
     *
     * @param connections what each contestant says of its connection
     * @param turns of each case, by the contestants' titles
     */
    record Results(Map<RpcContestant, String> connections, Map<Case, Map<String, List<Turn>>> turns) {}

    /** Creates it, for picocli. */
    public RpcCommand() {}

    @Override
    protected void measure(Report report) throws IOException {
        measure(quick(), report);
    }

    /** Measures all contestants in all cases, and prints the tables. */
    public static void measure(boolean quick, Report report) throws IOException {
        measure(RpcContestant.REQUESTS, CASES, quick ? QUICK : FULL, report);
    }

    /** Measures what goals are set for, in a few short rounds. */
    public static void measureGoals(Report report) throws IOException {
        measure(
                List.of(
                        RpcContestant.REQUEST_SHM,
                        RpcContestant.TYPED_SHM,
                        RpcContestant.REQUEST_TCP,
                        RpcContestant.NETTY,
                        RpcContestant.GRPC_DEFAULT),
                CASES.subList(0, 2),
                QUICK,
                report);
    }

    private static void measure(List<RpcContestant> contestants, List<Case> cases, Rounds.Plan plan, Report report)
            throws IOException {
        System.out.println();
        System.out.println(SUITE + ": request and reply of " + SIZE + " B, two processes; medians of " + plan.rounds()
                + " rounds in turns, in brackets the least and the greatest");
        measure(SUITE, contestants, cases, plan, System.err::println)
                .turns()
                .forEach((one, turns) -> add(one, turns, System.out, report));
    }

    static Results measure(
            String suite,
            List<RpcContestant> contestants,
            List<Case> cases,
            Rounds.Plan plan,
            Consumer<String> progress)
            throws IOException {
        Map<RpcContestant, Pair> pairs = new LinkedHashMap<>();
        Results results = new Results(new LinkedHashMap<>(), new LinkedHashMap<>());
        try {
            for (RpcContestant contestant : contestants) {
                if (contestant.unavailable().isPresent()) {
                    progress.accept("left out: " + contestant.title() + ": "
                            + contestant.unavailable().get());
                    continue;
                }
                Pair pair = contestant.start();
                pairs.put(contestant, pair);
                results.connections().put(contestant, pair.connection());
            }
            for (Case one : cases) {
                List<Contestant> taking = new ArrayList<>();
                pairs.forEach((contestant, pair) ->
                        taking.add(pair.named(contestant.title(), one.caller().name())));
                Work work = Work.of(PerfTest.TAG_LAT, SIZE, one.inFlight());
                results.turns().put(one, new Rounds(plan, progress).run(suite + ": " + one.label(), work, taking));
            }
            return results;
        } finally {
            pairs.values().forEach(Pair::close);
        }
    }

    static void add(Case one, Map<String, List<Turn>> turns, PrintStream out, Report report) {
        String netty = RpcContestant.NETTY.title();
        TextTable table =
                new TextTable(report, SUITE, List.of(one.label(), "replies/s", "p50 us", "p99 us", "rate to " + netty));
        turns.forEach((subject, rounds) -> {
            TextTable.Line<Turn> line = table.line(subject, one.label(), subject, SIZE, rounds)
                    .spread("rate", "1/s", Turn::perSecond)
                    .median("p50", "us", Turn::p50Us)
                    .median("p99", "us", Turn::p99Us);
            if (turns.containsKey(netty)) {
                line.ratio("rate", netty, turns.getOrDefault(netty, rounds), Turn::perSecond);
            }
        });
        out.println();
        table.print(out);
        if (one.caller() == Caller.CALLBACK) {
            addGoals(one, turns, report.goals());
        }
    }

    private static void addGoals(Case one, Map<String, List<Turn>> turns, List<Goal> goals) {
        if (one.inFlight() == 1) {
            addGoal(one, turns, RpcContestant.REQUEST_SHM, RpcContestant.NETTY, 0.5, goals);
            addGoal(one, turns, RpcContestant.TYPED_SHM, RpcContestant.GRPC_DEFAULT, 1.0 / 3, goals);
        } else {
            addGoal(one, turns, RpcContestant.REQUEST_SHM, RpcContestant.NETTY, 2, goals);
            addGoal(one, turns, RpcContestant.REQUEST_TCP, RpcContestant.NETTY, 1.2, goals);
            addGoal(one, turns, RpcContestant.REQUEST_SHM, RpcContestant.GRPC_DEFAULT, 3, goals);
            addGoal(one, turns, RpcContestant.TYPED_SHM, RpcContestant.GRPC_DEFAULT, 3, goals);
        }
    }

    /** At most that of the other's median where one request is in flight, else at least that of its rate; nothing where either was left out. */
    private static void addGoal(
            Case one,
            Map<String, List<Turn>> turns,
            RpcContestant subject,
            RpcContestant other,
            double bound,
            List<Goal> goals) {
        List<Turn> ones = turns.get(subject.title());
        List<Turn> others = turns.get(other.title());
        if (ones == null || others == null) {
            return;
        }
        boolean alone = one.inFlight() == 1;
        ToDoubleFunction<Turn> figure = alone ? Turn::p50Us : Turn::perSecond;
        String id = SUITE + "-" + one.label() + (alone ? " p50 " : " rate ") + subject.title() + "/" + other.title();
        double ratio = Spread.ratio(ones, others, figure).median();
        goals.add(alone ? Goal.atMost(id, ratio, bound) : Goal.atLeast(id, ratio, bound));
    }
}
