package io.fairlead.benchmarks.rpc;

import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The builders of one contestant in one process, and the event loops behind them: one that carries the connection, and at the server one that accepts. gRPC's default
 * brings its own, of which one connection uses as many.
 */
final class GrpcLoops implements AutoCloseable {
    private static final long END_LIMIT_S = 10;

    private final GrpcContestant contestant;
    private final @Nullable IoHandlerFactory factory;
    private final List<EventLoopGroup> groups = new ArrayList<>();

    GrpcLoops(GrpcContestant contestant) {
        this.contestant = contestant;
        this.factory = switch (contestant) {
            case SHM, TCP -> FairleadIoHandler.newFactory(contestant.config());
            case UDS -> EpollIoHandler.newFactory();
            case DEFAULT -> null;
        };
    }

    /** A client of the server in the other process; it connects with the first call. */
    ManagedChannel client(int port, Path socket) {
        NettyChannelBuilder builder = switch (contestant) {
            case SHM, TCP ->
                NettyChannelBuilder.forAddress(loopback(port))
                        .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                        .eventLoopGroup(group());
            case DEFAULT -> NettyChannelBuilder.forAddress(loopback(port));
            case UDS ->
                NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                        .channelType(EpollDomainSocketChannel.class, DomainSocketAddress.class)
                        .eventLoopGroup(group())
                        // Of a path it would make one that is none.
                        .overrideAuthority("localhost");
        };
        return builder.usePlaintext().directExecutor().build();
    }

    /** A server that listens: at a free port, or at a path. */
    Server server(Path socket) throws IOException {
        NettyServerBuilder builder = switch (contestant) {
            case SHM, TCP ->
                NettyServerBuilder.forAddress(loopback(0))
                        .channelType(FairleadServerSocketChannel.class)
                        .bossEventLoopGroup(group())
                        .workerEventLoopGroup(group());
            case DEFAULT -> NettyServerBuilder.forAddress(loopback(0));
            case UDS ->
                NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                        .channelType(EpollServerDomainSocketChannel.class)
                        .bossEventLoopGroup(group())
                        .workerEventLoopGroup(group());
        };
        return builder.addService(GrpcMethod.service()).directExecutor().build().start();
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private EventLoopGroup group() {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Objects.requireNonNull(factory, "factory"));
        groups.add(group);
        return group;
    }

    @Override
    public void close() {
        List<Future<?>> ends = new ArrayList<>();
        for (EventLoopGroup group : groups) {
            ends.add(group.shutdownGracefully(0, END_LIMIT_S, TimeUnit.SECONDS));
        }
        ends.forEach(end -> end.awaitUninterruptibly(END_LIMIT_S, TimeUnit.SECONDS));
    }
}
