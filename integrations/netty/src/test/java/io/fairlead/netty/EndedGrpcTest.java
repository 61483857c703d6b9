package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.contract.LiveObjects;
import io.grpc.Attributes;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Neither gRPC nor the event loops keep anything of connections that the client has ended. Those that the server ends are not counted: a task of gRPC's server keeps each of
 * them for 10 s.
 */
@ExtendWith(Leaks.class)
class EndedGrpcTest {
    private static final int CONNECTIONS = 100;

    private enum End {
        BY_THE_CLIENT,
        BY_THE_CLIENT_IN_A_CALL
    }

    /** Answers an empty call at once, and one with streams never. */
    private static final class Service extends TestServiceGrpc.TestServiceImplBase {
        private final BlockingQueue<String> begun = new LinkedBlockingQueue<>();

        @Override
        public void emptyCall(Empty request, StreamObserver<Empty> answers) {
            answers.onNext(request);
            answers.onCompleted();
        }

        @Override
        public StreamObserver<StreamingOutputCallRequest> fullDuplexCall(
                StreamObserver<StreamingOutputCallResponse> answers) {
            begun.add("call");
            return new Ending<>(new CompletableFuture<>());
        }
    }

    /** Waits for the end of a stream. */
    private record Ending<T>(CompletableFuture<Status> end) implements StreamObserver<T> {
        @Override
        public void onNext(T message) {}

        @Override
        public void onError(Throwable failure) {
            end.complete(Status.fromThrowable(failure));
        }

        @Override
        public void onCompleted() {
            end.complete(Status.OK);
        }
    }

    /** Tells of connections that the server has seen the end of. */
    private static final class Ends extends ServerTransportFilter {
        private final BlockingQueue<Attributes> ended = new LinkedBlockingQueue<>();

        @Override
        public void transportTerminated(Attributes attributes) {
            ended.add(attributes);
        }
    }

    /** A server and what connects to it, one connection after the other. */
    private static final class Rounds implements AutoCloseable {
        private final PooledByteBufAllocator allocator = new PooledByteBufAllocator(true);
        private final Service service = new Service();
        private final Ends ends = new Ends();
        private final Loops loops;
        private final Server server;

        Rounds(Loops loops) {
            this.loops = loops;
            server = start();
        }

        private Server start() {
            try {
                var builder = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .channelType(FairleadServerSocketChannel.class)
                        .bossEventLoopGroup(loops.servers())
                        .workerEventLoopGroup(loops.servers())
                        .withChildOption(ChannelOption.ALLOCATOR, allocator)
                        .addTransportFilter(ends)
                        .addService(service);
                // OpenCensus, which comes with gRPC's suite, keeps samples of calls.
                InternalNettyServerBuilder.setStatsEnabled(builder, false);
                InternalNettyServerBuilder.setTracingEnabled(builder, false);
                return builder.build().start();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }

        private ManagedChannel connect() {
            var builder = NettyChannelBuilder.forAddress(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort()))
                    .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                    .eventLoopGroup(loops.clients())
                    .withOption(ChannelOption.ALLOCATOR, allocator)
                    .usePlaintext();
            InternalNettyChannelBuilder.setStatsEnabled(builder, false);
            InternalNettyChannelBuilder.setTracingEnabled(builder, false);
            return builder.build();
        }

        /** One connection with an answered call and, unless the client just ends it, with a call that is never answered. */
        void round(End how) {
            ManagedChannel channel = connect();
            try {
                Empty answer = TestServiceGrpc.newBlockingStub(channel)
                        .withDeadlineAfter(Loops.DEADLINE_S, TimeUnit.SECONDS)
                        .emptyCall(Empty.getDefaultInstance());
                assertEquals(Empty.getDefaultInstance(), answer);
                switch (how) {
                    case BY_THE_CLIENT -> channel.shutdown();
                    case BY_THE_CLIENT_IN_A_CALL -> {
                        CompletableFuture<Status> end = call(channel);
                        channel.shutdownNow();
                        assertFalse(end.join().isOk());
                    }
                }
                assertTrue(channel.awaitTermination(Loops.DEADLINE_S, TimeUnit.SECONDS), "the client's end");
                next(ends.ended, "the server's side to end");
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }

        private CompletableFuture<Status> call(ManagedChannel channel) throws InterruptedException {
            CompletableFuture<Status> end = new CompletableFuture<>();
            var _ = TestServiceGrpc.newStub(channel).fullDuplexCall(new Ending<>(end));
            next(service.begun, "the call to arrive");
            return end.orTimeout(Loops.DEADLINE_S, TimeUnit.SECONDS);
        }

        private static void next(BlockingQueue<?> queue, String what) throws InterruptedException {
            assertTrue(queue.poll(Loops.DEADLINE_S, TimeUnit.SECONDS) != null, () -> "not in time: " + what);
        }

        long pinnedBytes() {
            return allocator.pinnedDirectMemory() + allocator.pinnedHeapMemory();
        }

        @Override
        public void close() {
            server.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void shouldKeepNothingOfConnectionsThatEnded(Lane lane) {
        Rounds rounds;
        try (Loops loops = new Loops(lane)) {
            rounds = new Rounds(loops);
            try (rounds) {
                for (End how : End.values()) {
                    LiveObjects.assertNothingLeftOf(CONNECTIONS, () -> rounds.round(how));
                }
            }
        }
        assertEquals(0, rounds.pinnedBytes(), "bytes of buffers in use when the loops have ended");
    }
}
