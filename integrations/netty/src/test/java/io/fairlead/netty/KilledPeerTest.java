package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Context;
import io.fairlead.statistics.Counter;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(Leaks.class)
class KilledPeerTest {
    private static final int STREAMS = 4;

    /** Sends as long as there is room, and reads what comes. */
    static class Streaming extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            fill(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            fill(context);
        }

        private static void fill(ChannelHandlerContext context) {
            while (context.channel().isActive() && context.channel().isWritable()) {
                context.writeAndFlush(Unpooled.wrappedBuffer(new byte[10_000]));
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
        }
    }

    /** The process that is killed: so many streams to the port that is given, until then. */
    static final class Peer {
        private Peer() {}

        public static void main(String[] arguments) throws InterruptedException {
            Lane lane = Lane.valueOf(arguments[0]);
            var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
            var group = new MultiThreadIoEventLoopGroup(1, FairleadIoHandler.newFactory(lane.config()));
            var client = new io.netty.bootstrap.Bootstrap()
                    .group(group)
                    .channel(FairleadSocketChannel.class)
                    .handler(new io.netty.channel.ChannelInitializer<FairleadSocketChannel>() {
                        @Override
                        protected void initChannel(FairleadSocketChannel channel) {
                            channel.pipeline().addLast(new Streaming());
                        }
                    });
            for (int i = 0; i < STREAMS; i++) {
                client.connect(address);
            }
            new CountDownLatch(1).await(5, TimeUnit.MINUTES);
        }
    }

    /** Counts what comes, and how the stream ends. */
    private static final class Watch extends Streaming {
        private final AtomicLong bytes;
        private final Queue<Throwable> causes;
        private final CountDownLatch ended;

        Watch(AtomicLong bytes, Queue<Throwable> causes, CountDownLatch ended) {
            this.bytes = bytes;
            this.causes = causes;
            this.ended = ended;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            bytes.addAndGet(((ByteBuf) message).readableBytes());
            super.channelRead(context, message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            causes.add(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.countDown();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheStreamsOfAPeerThatIsKilled(Lane lane) throws Exception {
        AtomicLong bytes = new AtomicLong();
        Queue<Throwable> causes = new ConcurrentLinkedQueue<>();
        CountDownLatch ended = new CountDownLatch(STREAMS);
        try (Context context = Context.open(lane.config())) {
            var group = new MultiThreadIoEventLoopGroup(2, FairleadIoHandler.newFactory(context));
            var server = Loops.bind(
                    new ServerBootstrap().group(group).channel(FairleadServerSocketChannel.class),
                    () -> new Watch(bytes, causes, ended));
            Process peer = start(lane, server.localAddress().getPort());
            try {
                long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(Loops.DEADLINE_S);
                while (bytes.get() < 5_000_000) {
                    assertTrue(System.nanoTime() < deadlineNs && peer.isAlive(), () -> "bytes=" + bytes.get());
                    Thread.yield();
                }
            } finally {
                peer.destroyForcibly().waitFor();
            }
            assertTrue(ended.await(Loops.DEADLINE_S, TimeUnit.SECONDS), () -> "still open: " + ended.getCount());
            causes.forEach(cause -> assertInstanceOf(IOException.class, cause));
            // The loops go on with the next peer.
            EchoTest.Collect collect = new EchoTest.Collect(1);
            ChannelFuture next = new io.netty.bootstrap.Bootstrap()
                    .group(group)
                    .channel(FairleadSocketChannel.class)
                    .handler(collect)
                    .connect(server.localAddress());
            Loops.done(next, "connect");
            collect.all.get(Loops.DEADLINE_S, TimeUnit.SECONDS);
            Loops.done(next.channel().close(), "close");
            Loops.done(server.close(), "close");
            Loops.done(group.shutdownGracefully(0, Loops.DEADLINE_S, TimeUnit.SECONDS), "shutdown");
            assertEquals(0, context.statistics().value(Counter.OPERATIONS_IN_FLIGHT));
        }
    }

    private static Process start(Lane lane, int port) throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return new ProcessBuilder(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx256m",
                        "-cp",
                        classPath,
                        Peer.class.getName(),
                        lane.name(),
                        String.valueOf(port)))
                .inheritIO()
                .start();
    }
}
