package io.fairlead.benchmarks.rpc;

import io.fairlead.PathPolicy;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.rpc.RpcTurn.Caller;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.Jvm;
import io.fairlead.cli.measure.SideProcess;
import io.fairlead.cli.measure.Turn;
import io.fairlead.cli.measure.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Clients in this process of all servers of an {@link RpcSide} in another. */
final class RpcClients implements AutoCloseable {
    static final String NETTY = "netty-tcp";
    static final String NODE_TCP = "node-tcp";
    static final String REQUEST_TCP = "request-tcp";
    /** Before the transport, for what asks by the node's own requests. */
    static final String REQUEST = "request-";

    private final Path folder = Files.createTempDirectory("fairlead-grpc");
    private final SideProcess answering;
    private final Map<String, RpcClient> clients = new LinkedHashMap<>();

    /** Those of gRPC alone, or all. */
    enum Extent {
        ALL,
        GRPC
    }

    RpcClients(Extent extent, List<GrpcContestant> grpc) throws IOException {
        Path socket = folder.resolve("socket");
        List<String> arguments = new ArrayList<>(List.of(socket.toString()));
        grpc.forEach(contestant -> arguments.add(contestant.name()));
        answering = SideProcess.start("the answering process", List.of(), RpcSide.class, Optional.empty(), arguments);
        try {
            List<Integer> ports = Stream.of(answering.open().split(" ", -1))
                    .map(Integer::valueOf)
                    .toList();
            if (extent == Extent.ALL) {
                NodeClient best = new NodeClient(PathPolicy.AUTO, FairleadPeer.loopback(ports.get(0)));
                clients.put("node-" + best.transport(), best);
                clients.put(REQUEST + best.transport(), best.requesting());
                NodeClient tcp = new NodeClient(PathPolicy.TCP_ONLY, FairleadPeer.loopback(ports.get(1)));
                clients.put(NODE_TCP, tcp);
                clients.put(REQUEST_TCP, tcp.requesting());
                clients.put(NETTY, new NettyClient(FairleadPeer.loopback(ports.get(2))));
            }
            for (int i = 0; i < grpc.size(); i++) {
                clients.put(grpc.get(i).label(), new GrpcClient(grpc.get(i), ports.get(3 + i), socket));
            }
        } catch (IOException | RuntimeException failure) {
            close();
            throw failure;
        }
    }

    /** By the contestants' names, in the order of the tables. */
    Map<String, RpcClient> clients() {
        return clients;
    }

    /** A client as it takes turns, with so many requests in flight. */
    Contestant contestant(String title, RpcClient client, Caller caller, int inFlight) {
        return new Contestant() {
            @Override
            public String title() {
                return title;
            }

            @Override
            public Turn turn(Work work) throws IOException {
                long beforeNs = answering.processorNs() + Jvm.processorNs();
                Turn turn = RpcTurn.run(client, caller, inFlight, work.count());
                double us = (answering.processorNs() + Jvm.processorNs() - beforeNs) / 1e3 / work.count();
                return new Turn(turn.perSecond(), turn.p50Us(), 0, turn.p99Us(), 0, 0, us, Double.NaN, 1);
            }

            // The answering process has as much to compile as this one, at the same time.
            @Override
            public void rest() {
                Jvm.awaitCompilers();
            }

            @Override
            public void close() {
                // The client goes on in the next case.
            }
        };
    }

    @Override
    public void close() throws IOException {
        clients.values().forEach(RpcClient::close);
        answering.close();
        Files.deleteIfExists(folder.resolve("socket"));
        Files.deleteIfExists(folder);
    }
}
