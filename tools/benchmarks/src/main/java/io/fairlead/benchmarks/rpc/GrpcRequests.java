package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.benchmarks.contest.RequestSide;
import io.fairlead.benchmarks.contest.RequestSide.Answers;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.internal.ThreadExecutorMap;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Unary calls of gRPC. On either side one event loop carries the connection, on which calls are made and answered; gRPC's default brings its own, of which one
 * connection uses as many.
 */
final class GrpcRequests {
    private static final long END_LIMIT_S = 10;
    private static final String UNKNOWN = "not known";
    private static final int FIRST_REPLIES = 1_000;

    private GrpcRequests() {}

    /** Over Fairlead's channels. */
    static RequestSide overFairlead(FairleadConfig config, Optional<String> address) throws IOException {
        EventLoopGroup loop = loop(FairleadIoHandler.newFactory(config));
        return address.isPresent()
                ? ask(fairleadClient(loop, address.get()), loop)
                : answer(fairleadServer(loop), Optional.empty(), loop);
    }

    /** Of the server at a port of this host. */
    static NettyChannelBuilder fairleadClient(EventLoopGroup loop, String port) {
        return NettyChannelBuilder.forAddress(FairleadPeer.loopback(port))
                .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                .eventLoopGroup(loop);
    }

    static NettyServerBuilder fairleadServer(EventLoopGroup loop) {
        return NettyServerBuilder.forAddress(FairleadPeer.loopback(0))
                .channelType(FairleadServerSocketChannel.class)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop);
    }

    /** Over what gRPC takes for an address and a port if it is asked for nothing else. */
    static RequestSide byDefault(Optional<String> address) throws IOException {
        return address.isPresent()
                ? ask(NettyChannelBuilder.forAddress(FairleadPeer.loopback(address.get())))
                : answer(NettyServerBuilder.forAddress(FairleadPeer.loopback(0)), Optional.empty());
    }

    /** Over Unix domain sockets, by Netty's channels on epoll. */
    static RequestSide overUnixSockets(Optional<String> address) throws IOException {
        EventLoopGroup loop = loop(EpollIoHandler.newFactory());
        if (address.isPresent()) {
            return ask(
                    NettyChannelBuilder.forAddress(new DomainSocketAddress(address.get()))
                            .channelType(EpollDomainSocketChannel.class, DomainSocketAddress.class)
                            .eventLoopGroup(loop)
                            // Of a path it would make one that is none.
                            .overrideAuthority("localhost"),
                    loop);
        }
        Path folder = Files.createTempDirectory("fairlead-grpc");
        Path socket = folder.resolve("socket");
        // What comes last is deleted first.
        folder.toFile().deleteOnExit();
        socket.toFile().deleteOnExit();
        return answer(
                NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                        .channelType(EpollServerDomainSocketChannel.class)
                        .bossEventLoopGroup(loop)
                        .workerEventLoopGroup(loop),
                Optional.of(socket.toString()),
                loop);
    }

    static EventLoopGroup loop(IoHandlerFactory factory) {
        return new MultiThreadIoEventLoopGroup(1, factory);
    }

    private static RequestSide answer(NettyServerBuilder builder, Optional<String> path, EventLoopGroup... loops)
            throws IOException {
        Answers answers = new Answers();
        Server server = builder.addService(GrpcMethod.service(answers::reply))
                .directExecutor()
                .build()
                .start();
        return RequestSide.answering(path.orElseGet(() -> String.valueOf(server.getPort())), answers, () -> {
            server.shutdownNow();
            end(loops);
        });
    }

    /** The address of this side is what gRPC's event loop waits with. */
    private static RequestSide ask(NettyChannelBuilder builder, EventLoopGroup... loops) {
        ManagedChannel channel = builder.usePlaintext().directExecutor().build();
        String carrier = carrierOfReplies(channel);
        return RequestSide.asking(
                carrier, (_, number, size) -> ask(channel, number, size, new CompletableFuture<>()), () -> {
                    channel.shutdownNow().awaitTermination(END_LIMIT_S, TimeUnit.SECONDS);
                    end(loops);
                });
    }

    /** The first replies of a channel may come on the thread that connected. */
    private static String carrierOfReplies(ManagedChannel channel) {
        String carrier = UNKNOWN;
        for (int i = 0; i < FIRST_REPLIES && carrier.equals(UNKNOWN); i++) {
            CompletableFuture<Void> replied = new CompletableFuture<>();
            // Before the call, so that it runs where the reply comes.
            CompletableFuture<String> seen = replied.thenApply(_ -> carrier());
            ask(channel, 0, RpcCommand.SIZE, replied).join();
            carrier = seen.join();
        }
        return carrier;
    }

    private static String carrier() {
        return ThreadExecutorMap.currentExecutor() instanceof IoEventLoop loop
                ? loop.isIoType(FairleadIoHandler.class)
                        ? "fairlead"
                        : loop.isIoType(EpollIoHandler.class) ? "epoll" : "nio"
                : UNKNOWN;
    }

    private static CompletableFuture<Void> ask(
            ManagedChannel channel, long number, int size, CompletableFuture<Void> replied) {
        ClientCalls.asyncUnaryCall(
                channel.newCall(GrpcMethod.ASK, CallOptions.DEFAULT),
                Payload.bytes(size, number),
                new StreamObserver<>() {
                    private boolean intact;

                    @Override
                    public void onNext(byte[] reply) {
                        Payload.checkReply(MemorySegment.ofArray(reply), size, number);
                        intact = true;
                    }

                    @Override
                    public void onError(Throwable cause) {
                        replied.completeExceptionally(cause);
                    }

                    @Override
                    public void onCompleted() {
                        if (intact) {
                            replied.complete(null);
                        } else {
                            onError(new IllegalStateException("a call ended without a reply: number=" + number));
                        }
                    }
                });
        return replied;
    }

    static void end(EventLoopGroup... loops) {
        for (EventLoopGroup loop : loops) {
            loop.shutdownGracefully(0, END_LIMIT_S, TimeUnit.SECONDS)
                    .awaitUninterruptibly(END_LIMIT_S, TimeUnit.SECONDS);
        }
    }
}
