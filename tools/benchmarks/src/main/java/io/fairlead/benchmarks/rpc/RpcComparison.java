package io.fairlead.benchmarks.rpc;

import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.contest.Entrant;
import io.fairlead.benchmarks.contest.Rounds;
import io.fairlead.benchmarks.contest.Turn;
import io.fairlead.benchmarks.contest.Work;
import io.fairlead.benchmarks.process.Compilers;
import io.fairlead.benchmarks.process.SecondProcess;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.benchmarks.rpc.RpcTurn.Figures;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Requests of 64 bytes and their replies between two processes, in turns: a node over the best path of this host and over TCP, by a receive and a send and by its
 * own requests, a plain Netty client and server, and unary calls of gRPC. Every thread idles as it does by default.
 */
final class RpcComparison {
    /** The greatest number of requests in flight. */
    static final int SLOTS = 64;

    /** The tag of requests. */
    static final long SERVICE = 64;

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
     * A contestant in one case.
     *
     * @param subject the contestant's name
     * @param of the case
     * @param rounds what its turns have come to
     */
    record Result(String subject, Case of, List<Turn> rounds) {
        /** One figure of all rounds. */
        List<Double> all(ToDoubleFunction<Turn> figure) {
            return rounds.stream().map(figure::applyAsDouble).toList();
        }
    }

    static final String NETTY = "netty-tcp";
    static final String NODE_TCP = "node-tcp";
    static final String REQUEST_TCP = "request-tcp";
    /** Before the transport, for what asks by the node's own requests. */
    static final String REQUEST = "request-";

    /** What is compared. */
    enum Extent {
        ALL,
        /** What goals are set for. */
        GOALS;

        private boolean has(Case one) {
            return this == ALL || one.caller() == Caller.CALLBACK;
        }

        private boolean has(Contestant contestant) {
            return this == ALL
                    || contestant.subject().equals(NETTY)
                    || contestant.subject().equals(GrpcContestant.DEFAULT.label())
                    || contestant.subject().startsWith(REQUEST);
        }
    }

    static final List<Case> CASES = List.of(
            new Case(Caller.CALLBACK, 1),
            new Case(Caller.CALLBACK, SLOTS),
            new Case(Caller.THREAD, 1),
            new Case(Caller.THREAD, SLOTS));

    private final Extent extent;
    private final Rounds rounds;
    private final List<GrpcContestant> grpc = GrpcContestant.available().stream()
            .filter(GrpcContestant.RIVALS::contains)
            .toList();

    RpcComparison(Extent extent, Rounds.Plan plan, Consumer<String> progress) {
        this.extent = extent;
        rounds = new Rounds(plan, progress);
    }

    /** The contestants of each case stand together, in the same order. */
    List<Result> run() {
        return SecondProcess.compare(this::compare);
    }

    private List<Result> compare() throws IOException {
        Process answering = SecondProcess.start(List.of(), RpcEcho.class, List.of());
        try (BufferedReader said = answering.inputReader()) {
            String line = said.readLine();
            if (line == null) {
                throw new IOException("the answering process did not start");
            }
            String[] ports = line.split(" ", -1);
            try (NodeClient best = new NodeClient(PathPolicy.AUTO, address(ports[0]));
                    NodeClient tcp = new NodeClient(PathPolicy.TCP_ONLY, address(ports[1]));
                    NettyClient netty = new NettyClient(address(ports[2]));
                    GrpcPairs pairs = GrpcPairs.start(grpc)) {
                List<Contestant> contestants = new ArrayList<>(List.of(
                        new Contestant("node-" + best.transport(), best),
                        new Contestant(REQUEST + best.transport(), best.requesting()),
                        new Contestant(NODE_TCP, tcp),
                        new Contestant(REQUEST_TCP, tcp.requesting()),
                        new Contestant(NETTY, netty)));
                pairs.clients()
                        .forEach(client -> contestants.add(
                                new Contestant(client.contestant().label(), client)));
                return measure(contestants);
            }
        } finally {
            answering.destroy();
        }
    }

    private static InetSocketAddress address(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    private List<Result> measure(List<Contestant> contestants) {
        List<Result> results = new ArrayList<>();
        for (Case one : CASES.stream().filter(extent::has).toList()) {
            List<Entrant> entrants = new ArrayList<>();
            contestants.stream().filter(extent::has).forEach(contestant -> entrants.add(contestant.in(one)));
            Work work = new Work(Work.Kind.ASK, RpcPayload.LENGTH, 1, 0);
            rounds.run("rpc " + one.label(), work, entrants)
                    .forEach((subject, turns) -> results.add(new Result(subject, one, turns)));
        }
        return results;
    }

    /** A contestant and its name. */
    private record Contestant(String subject, RpcClient client) {
        Entrant in(Case one) {
            return new Entrant() {
                @Override
                public String title() {
                    return subject;
                }

                @Override
                public Turn turn(Work work) {
                    Figures figures = RpcTurn.run(client, one.caller(), one.inFlight(), work.count());
                    return new Turn(figures.perSecond(), figures.p50Us(), figures.p99Us(), 0, 0);
                }

                // The answering process has as much to compile as this one, at the same time.
                @Override
                public void rest() {
                    Compilers.awaitRest();
                }

                @Override
                public void close() {
                    // The client goes on in the next case.
                }
            };
        }
    }
}
