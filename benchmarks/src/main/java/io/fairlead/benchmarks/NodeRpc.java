package io.fairlead.benchmarks;

import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.RpcTurn.Caller;
import io.fairlead.benchmarks.RpcTurn.Figures;
import io.fairlead.benchmarks.process.SecondProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;

/**
 * Requests of 64 bytes and their replies between two processes: a node over the best path of this host and over TCP, by a receive and a send and by its own
 * requests, and a plain Netty client and server, in turns. Every thread idles as it does by default.
 */
final class NodeRpc {
    /** The greatest number of requests in flight. */
    static final int SLOTS = 64;

    /** The tag of requests. */
    static final long SERVICE = 64;

    /**
     * How much is measured.
     *
     * @param warmUp requests of each case before anything is counted
     * @param rounds turns of each contestant in each case
     * @param singles requests of a turn with one in flight
     * @param windowed requests of a turn with {@link #SLOTS} in flight
     */
    record Plan(int warmUp, int rounds, int singles, int windowed) {}

    /**
     * What the contestants do in the same way.
     *
     * @param caller who asks for the next reply
     * @param inFlight requests that wait for their replies at once
     */
    record Case(Caller caller, int inFlight) {}

    /**
     * A contestant in one case.
     *
     * @param subject the contestant's name
     * @param of the case
     * @param rounds what its turns have come to
     */
    record Result(String subject, Case of, List<Figures> rounds) {
        /** One figure of all rounds. */
        List<Double> all(ToDoubleFunction<Figures> figure) {
            return rounds.stream().map(figure::applyAsDouble).toList();
        }
    }

    /** A contestant and its name. */
    private record Contestant(String subject, RpcClient client) {}

    static final String NETTY = "netty-tcp";
    static final String NODE_TCP = "node-tcp";
    /** Before the transport, for what asks by the node's own requests. */
    static final String REQUEST = "request-";

    static final List<Case> CASES = List.of(
            new Case(Caller.CALLBACK, 1),
            new Case(Caller.CALLBACK, SLOTS),
            new Case(Caller.THREAD, 1),
            new Case(Caller.THREAD, SLOTS));

    private final Plan plan;
    private final Consumer<String> progress;

    NodeRpc(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /** The contestants of each case stand together, the reference last. */
    List<Result> run() {
        return SecondProcess.compare(this::compare);
    }

    private List<Result> compare() throws IOException {
        Process answering = SecondProcess.start(List.of(), NodeRpcEcho.class, List.of());
        try (BufferedReader said = answering.inputReader()) {
            String line = said.readLine();
            if (line == null) {
                throw new IOException("the answering process did not start");
            }
            String[] ports = line.split(" ", -1);
            try (NodeRpcClient best = new NodeRpcClient(PathPolicy.AUTO, address(ports[0]));
                    NodeRpcClient tcp = new NodeRpcClient(PathPolicy.TCP_ONLY, address(ports[1]));
                    NettyRpcClient netty = new NettyRpcClient(address(ports[2]))) {
                return measure(List.of(
                        new Contestant("node-" + best.transport(), best),
                        new Contestant(REQUEST + best.transport(), best.requesting()),
                        new Contestant(NODE_TCP, tcp),
                        new Contestant(REQUEST + "tcp", tcp.requesting()),
                        new Contestant(NETTY, netty)));
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
        for (Case one : CASES) {
            for (Contestant contestant : contestants) {
                progress.accept("node-rpc: warming up " + contestant.subject());
                RpcTurn.run(contestant.client(), one.caller(), one.inFlight(), plan.warmUp());
                results.add(new Result(contestant.subject(), one, new ArrayList<>()));
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept("node-rpc: round " + (round + 1) + " of " + plan.rounds());
            for (int i = 0; i < results.size(); i++) {
                Result result = results.get(i);
                Contestant contestant = contestants.get(i % contestants.size());
                int count = result.of().inFlight() == 1 ? plan.singles() : plan.windowed();
                result.rounds()
                        .add(RpcTurn.run(
                                contestant.client(),
                                result.of().caller(),
                                result.of().inFlight(),
                                count));
            }
        }
        return results;
    }
}
