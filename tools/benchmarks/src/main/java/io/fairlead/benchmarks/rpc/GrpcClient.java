package io.fairlead.benchmarks.rpc;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.netty.FairleadIoHandler;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Asks by a stub, whose replies come on the event loop. */
final class GrpcClient implements RpcClient {
    private static final long LIMIT_S = 20;

    private final GrpcLoops loops;
    private final ManagedChannel channel;
    private final String carrier;

    /** Connects. */
    GrpcClient(GrpcContestant contestant, int port, Path socket) {
        this.loops = new GrpcLoops(contestant);
        this.channel = loops.client(port, socket);
        CompletableFuture<Void> replied = new CompletableFuture<>();
        // Before the call, so that it runs where the reply comes.
        CompletableFuture<String> seen = replied.thenApply(_ -> carrier());
        start(0, replied);
        try {
            this.carrier = seen.orTimeout(LIMIT_S, TimeUnit.SECONDS).join();
        } catch (CompletionException failure) {
            close();
            throw CommandFailure.failed(
                    "the comparison broke off: no call over " + contestant.label() + ": " + failure.getCause());
        }
    }

    /** What the event loop that brings the replies waits with. */
    String carriedBy() {
        return carrier;
    }

    private static String carrier() {
        EventExecutor current = ThreadExecutorMap.currentExecutor();
        if (current instanceof IoEventLoop loop) {
            if (loop.isIoType(FairleadIoHandler.class)) {
                return "fairlead";
            }
            if (loop.isIoType(EpollIoHandler.class)) {
                return "epoll";
            }
            if (loop.isIoType(NioIoHandler.class)) {
                return "nio";
            }
        }
        return "not known: " + current;
    }

    @Override
    public CompletableFuture<Void> ask(int slot, long number) {
        CompletableFuture<Void> replied = new CompletableFuture<>();
        start(number, replied);
        return replied;
    }

    private void start(long number, CompletableFuture<Void> replied) {
        ClientCalls.asyncUnaryCall(
                channel.newCall(GrpcMethod.ASK, CallOptions.DEFAULT),
                GrpcMethod.request(number),
                new Reply(number, replied));
    }

    @Override
    public void close() {
        ManagedChannel ended = channel.shutdownNow();
        try {
            ended.awaitTermination(LIMIT_S, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        loops.close();
    }

    /** One reply. */
    private static final class Reply implements StreamObserver<byte[]> {
        private final long number;
        private final CompletableFuture<Void> replied;
        private boolean intact;

        Reply(long number, CompletableFuture<Void> replied) {
            this.number = number;
            this.replied = replied;
        }

        @Override
        public void onNext(byte[] reply) {
            GrpcMethod.checkReply(reply, number);
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
                replied.completeExceptionally(
                        new IllegalStateException("a call ended without a reply: number=" + number));
            }
        }
    }
}
