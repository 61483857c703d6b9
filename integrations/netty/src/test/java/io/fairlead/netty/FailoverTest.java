package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKeys;
import io.fairlead.testkit.internal.CuttingRelay;
import io.fairlead.testkit.internal.CuttingRelay.Cut;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.Messages.Payload;
import io.grpc.testing.integration.Messages.StreamingOutputCallRequest;
import io.grpc.testing.integration.Messages.StreamingOutputCallResponse;
import io.grpc.testing.integration.TestServiceGrpc;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Streams over connections with {@code endpoint.failover} that a network breaks again and again. */
@Timeout(600)
@ExtendWith(Leaks.class)
class FailoverTest {
    private static final int CUTS = 40;
    private static final int LENGTH_MAX = 200_000;
    private static final List<Cut> WAYS = List.of(Cut.RESET, Cut.RESET, Cut.END);

    private static FairleadConfig config(Lane lane) {
        return lane.config().with(ConfigKeys.FAILOVER, "on").with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMillis(300));
    }

    /** Each byte of a stream depends on its position. */
    private static byte valueAt(long position) {
        return (byte) (position * 0x9E3779B97F4A7C15L >>> 56);
    }

    private static int length(Random random) {
        return 1 + random.nextInt(random.nextInt(4) == 0 ? LENGTH_MAX : 1_000);
    }

    /** Checks that the bytes come in their order, none missing and none twice; reports how many, or what is wrong. */
    private static final class Check extends ChannelInboundHandlerAdapter {
        final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private long count;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            while (bytes.isReadable()) {
                if (bytes.readByte() != valueAt(count)) {
                    events.add("another byte at " + count);
                    break;
                }
                count++;
            }
            bytes.release();
            events.add(count);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add("the end of the channel");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            events.add(cause);
        }

        void await(long wanted) throws InterruptedException {
            Object event = 0L;
            while (!event.equals(wanted)) {
                event = next(events);
                assertTrue(event instanceof Long, event::toString);
            }
        }
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(Loops.DEADLINE_S, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing came within " + Loops.DEADLINE_S + " s");
        }
        return next;
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseNoByteOfAStream(Lane lane) throws Exception {
        try (Loops loops = new Loops(config(lane))) {
            var server = loops.bind(EchoTest.Echo::new);
            try (CuttingRelay relay = new CuttingRelay(server.localAddress(), 1)) {
                Check check = new Check();
                var connected = loops.client().handler(check).connect(relay.address());
                var channel = Loops.done(connected, "connect").channel();
                relay.cut(WAYS);
                Random random = new Random(1);
                long sent = 0;
                while (relay.count() < CUTS) {
                    byte[] bytes = new byte[length(random)];
                    for (int i = 0; i < bytes.length; i++) {
                        bytes[i] = valueAt(sent + i);
                    }
                    sent += bytes.length;
                    Loops.done(channel.writeAndFlush(Unpooled.wrappedBuffer(bytes)), "write");
                    check.await(sent);
                }
                relay.spare();
                Loops.done(channel.close(), "close");
            }
        }
    }

    /** Answers each message of a call by itself. */
    private static final class EchoService extends TestServiceGrpc.TestServiceImplBase {
        @Override
        public StreamObserver<StreamingOutputCallRequest> fullDuplexCall(
                StreamObserver<StreamingOutputCallResponse> answers) {
            return new StreamObserver<>() {
                @Override
                public void onNext(StreamingOutputCallRequest request) {
                    answers.onNext(StreamingOutputCallResponse.newBuilder()
                            .setPayload(request.getPayload())
                            .build());
                }

                @Override
                public void onError(Throwable failure) {
                    answers.onError(failure);
                }

                @Override
                public void onCompleted() {
                    answers.onCompleted();
                }
            };
        }
    }

    /** What a call has answered, and its end. */
    private record Answers(BlockingQueue<Object> events) implements StreamObserver<StreamingOutputCallResponse> {
        @Override
        public void onNext(StreamingOutputCallResponse answer) {
            events.add(answer.getPayload().getBody());
        }

        @Override
        public void onError(Throwable failure) {
            events.add(failure);
        }

        @Override
        public void onCompleted() {
            events.add("completed");
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAnswerEachMessageOfACallOnce(Lane lane) throws Exception {
        try (Loops loops = new Loops(config(lane))) {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .channelType(FairleadServerSocketChannel.class)
                    .bossEventLoopGroup(loops.servers())
                    .workerEventLoopGroup(loops.servers())
                    .addService(new EchoService())
                    .build()
                    .start();
            var target = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort());
            try (CuttingRelay relay = new CuttingRelay(target, 1)) {
                ManagedChannel channel = NettyChannelBuilder.forAddress(relay.address())
                        .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                        .eventLoopGroup(loops.clients())
                        .usePlaintext()
                        .build();
                call(channel, relay);
                channel.shutdown();
                assertTrue(channel.awaitTermination(Loops.DEADLINE_S, TimeUnit.SECONDS), "the client's end");
            } finally {
                server.shutdownNow();
            }
        }
    }

    private static void call(ManagedChannel channel, CuttingRelay relay) throws InterruptedException {
        BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        var requests = TestServiceGrpc.newStub(channel).fullDuplexCall(new Answers(events));
        Random random = new Random(1);
        for (int number = 0; relay.count() < CUTS; number++) {
            byte[] bytes = new byte[length(random)];
            random.nextBytes(bytes);
            ByteString body = ByteString.copyFrom(bytes);
            requests.onNext(StreamingOutputCallRequest.newBuilder()
                    .setPayload(Payload.newBuilder().setBody(body))
                    .build());
            assertEquals(body, next(events));
            if (number == 0) {
                // gRPC connects with the first message.
                relay.cut(WAYS);
            }
        }
        relay.spare();
        requests.onCompleted();
        assertEquals("completed", next(events));
    }
}
