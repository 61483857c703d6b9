package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Idle;
import io.fairlead.benchmarks.contest.NodeRequests;
import io.fairlead.cli.measure.Pair;
import io.fairlead.cli.measure.Side;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What requests can be asked by, each with one connection. Every thread idles as it does by default. */
enum RpcContestant {
    /** Messages of nodes, with tags. */
    NODE_SHM("node-shm"),
    /** Requests of nodes. */
    REQUEST_SHM("request-shm"),
    /** Calls of a typed service. */
    TYPED_SHM("typed-shm"),
    NODE_TCP("node-tcp"),
    REQUEST_TCP("request-tcp"),
    TYPED_TCP("typed-tcp"),
    NETTY("netty-tcp"),
    GRPC_SHM("fairlead-shm"),
    GRPC_TCP("fairlead-tcp"),
    GRPC_DEFAULT("grpc-default"),
    GRPC_UDS("grpc-uds");

    /** Those of {@code bench rpc}. */
    static final List<RpcContestant> REQUESTS =
            List.of(NODE_SHM, REQUEST_SHM, TYPED_SHM, NODE_TCP, REQUEST_TCP, TYPED_TCP, NETTY, GRPC_DEFAULT, GRPC_UDS);

    /** Those of {@code bench grpc}. */
    static final List<RpcContestant> GRPC = List.of(GRPC_SHM, GRPC_TCP, GRPC_DEFAULT, GRPC_UDS);

    private final String title;

    RpcContestant(String title) {
        this.title = title;
    }

    /** As tables have it. */
    String title() {
        return title;
    }

    /** Why it cannot run here. */
    Optional<String> unavailable() {
        return switch (this) {
            case NODE_SHM, REQUEST_SHM, TYPED_SHM, GRPC_SHM -> FairleadPeer.unavailable("shm");
            case GRPC_UDS -> Optional.ofNullable(Epoll.unavailabilityCause()).map(Throwable::toString);
            default -> Optional.empty();
        };
    }

    /** Starts both processes. */
    Pair start() throws IOException {
        return Pair.start(Pair.Ends.of(title, RpcContestant.class, List.of(name())));
    }

    /** A side in this process, as {@link io.fairlead.cli.measure.SideMain} opens it. */
    static Side open(List<String> arguments, Optional<String> address) throws IOException {
        return switch (valueOf(arguments.getFirst())) {
            case NODE_SHM -> NodeRequests.BY_TAGS.open("shm", Idle.BACK_OFF, address);
            case REQUEST_SHM -> NodeRequests.OWN.open("shm", Idle.BACK_OFF, address);
            case TYPED_SHM -> TypedRequests.open("shm", address);
            case NODE_TCP -> NodeRequests.BY_TAGS.open("tcp-only", Idle.BACK_OFF, address);
            case REQUEST_TCP -> NodeRequests.OWN.open("tcp-only", Idle.BACK_OFF, address);
            case TYPED_TCP -> TypedRequests.open("tcp-only", address);
            case NETTY -> NettyRequests.open(address);
            case GRPC_SHM -> GrpcRequests.overFairlead(FairleadPeer.config("shm", Idle.BACK_OFF), address);
            case GRPC_TCP -> GrpcRequests.overFairlead(FairleadPeer.config("tcp-only", Idle.BACK_OFF), address);
            case GRPC_DEFAULT -> GrpcRequests.byDefault(address);
            case GRPC_UDS -> GrpcRequests.overUnixSockets(address);
        };
    }
}
