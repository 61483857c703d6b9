package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadSocketChannel;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One of two processes that speak gRPC over Fairlead's channels, by the path that their configuration lets them take: unary calls, then both directions of a
 * stream. {@code fairlead roce-test --suite grpc} runs them on an RDMA device each. Both compare every byte.
 */
final class GrpcPeer {
    private static final int UNARY = 200;
    private static final int STREAMED = 100;
    private static final int SIZE = RpcCommand.SIZE;
    /** Emulated processors take their time. */
    private static final long LIMIT_S = 300;

    private GrpcPeer() {}

    /**
     * Answers until its input ends, or asks and ends. The configuration is that of the environment.
     *
     * @param args {@code serve}, or {@code ask} and the port of who serves at the loopback address
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 1 && args[0].equals("serve")) {
            serve(FairleadConfig.load(), System.out);
        } else if (args.length == 2 && args[0].equals("ask")) {
            ask(FairleadConfig.load(), args[1], System.out);
        } else {
            System.err.println("usage: GrpcPeer serve, or GrpcPeer ask PORT");
            System.exit(2);
        }
    }

    /** Says its port in one line. */
    private static void serve(FairleadConfig config, PrintStream out) throws IOException {
        EventLoopGroup loop = GrpcRequests.loop(FairleadIoHandler.newFactory(config));
        Server server = GrpcRequests.fairleadServer(loop)
                .directExecutor()
                .addService(GrpcMethod.service(Payload::reply))
                .build()
                .start();
        out.println("grpc-peer: serves at " + server.getPort());
        while (System.in.read() >= 0) {
            // Whoever started it closes its input.
        }
        server.shutdownNow();
        GrpcRequests.end(loop);
    }

    /** Says the path of its channel, and how many replies were intact. */
    static void ask(FairleadConfig config, String port, PrintStream out)
            throws InterruptedException, ExecutionException, TimeoutException {
        EventLoopGroup loop = GrpcRequests.loop(FairleadIoHandler.newFactory(config));
        AtomicReference<@Nullable FairleadSocketChannel> carrier = new AtomicReference<>();
        ManagedChannel channel = GrpcRequests.fairleadClient(loop, port)
                .channelFactory(
                        () -> {
                            FairleadSocketChannel made = new FairleadSocketChannel();
                            carrier.set(made);
                            return made;
                        },
                        InetSocketAddress.class)
                .usePlaintext()
                .directExecutor()
                .build();
        try {
            for (int i = 0; i < UNARY; i++) {
                CallOptions limited = CallOptions.DEFAULT.withDeadlineAfter(LIMIT_S, TimeUnit.SECONDS);
                check(ClientCalls.blockingUnaryCall(channel, GrpcMethod.ASK, limited, Payload.bytes(SIZE, i)), i);
            }
            out.println("grpc-peer: path " + path(carrier.get()));
            out.println("grpc-peer: unary calls answered, all intact: " + UNARY);
            stream(channel).get(LIMIT_S, TimeUnit.SECONDS);
            out.println("grpc-peer: messages of a stream answered, all intact: " + STREAMED);
        } finally {
            channel.shutdownNow();
            GrpcRequests.end(loop);
        }
    }

    private static void check(byte[] reply, int number) {
        Payload.checkReply(MemorySegment.ofArray(reply), SIZE, number);
    }

    private static String path(@Nullable FairleadSocketChannel carrier) {
        return carrier == null ? "none" : carrier.path().map(Object::toString).orElse("none");
    }

    /** All requests, then their replies as they come. */
    private static CompletableFuture<Void> stream(ManagedChannel channel) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(GrpcMethod.STREAM, CallOptions.DEFAULT), new StreamObserver<>() {
                    private int next;

                    @Override
                    public void onNext(byte[] reply) {
                        check(reply, next);
                        next++;
                    }

                    @Override
                    public void onError(Throwable cause) {
                        ended.completeExceptionally(cause);
                    }

                    @Override
                    public void onCompleted() {
                        if (next == STREAMED) {
                            ended.complete(null);
                        } else {
                            ended.completeExceptionally(
                                    new IllegalStateException("a stream ended early: replies=" + next));
                        }
                    }
                });
        for (int i = 0; i < STREAMED; i++) {
            requests.onNext(Payload.bytes(SIZE, i));
        }
        requests.onCompleted();
        return ended;
    }
}
