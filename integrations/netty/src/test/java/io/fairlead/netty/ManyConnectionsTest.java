package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Context;
import io.fairlead.statistics.Counter;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import java.io.File;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class ManyConnectionsTest {
    private static final int CONNECTIONS = 10_000;
    /** So many are open at once. */
    private static final int AT_ONCE = 32;

    /** Asks once and closes when the answer is there; the next one connects then. */
    private static final class Asker extends ChannelInboundHandlerAdapter {
        private final Runnable next;

        Asker(Runnable next) {
            this.next = next;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.copyInt(42));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            context.close();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            next.run();
        }
    }

    private static int descriptors() {
        return Objects.requireNonNull(new File("/proc/self/fd").list()).length;
    }

    @Test
    void shouldConnectAndCloseTenThousandTimes() throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(CONNECTIONS);
        int before = 0;
        // TCP alone: what is counted here is the channels', and rings would add their setting up.
        try (Context context = Context.open(Lane.TCP.config())) {
            var factory = FairleadIoHandler.newFactory(context);
            var group = new MultiThreadIoEventLoopGroup(2, factory);
            var server = Loops.bind(
                    new ServerBootstrap().group(group).channel(FairleadServerSocketChannel.class), EchoTest.Echo::new);
            before = descriptors();
            Bootstrap client = new Bootstrap().group(group).channel(FairleadSocketChannel.class);
            Runnable[] next = new Runnable[1];
            next[0] = () -> {
                if (started.getAndIncrement() >= CONNECTIONS) {
                    return;
                }
                ChannelFuture connecting =
                        client.clone().handler(new Asker(next[0])).connect(server.localAddress());
                connecting.channel().closeFuture().addListener(_ -> ended.countDown());
                connecting.addListener(connected -> {
                    if (!connected.isSuccess()) {
                        failed.incrementAndGet();
                        next[0].run();
                    }
                });
            };
            for (int i = 0; i < AT_ONCE; i++) {
                next[0].run();
            }
            assertTrue(ended.await(4 * Loops.DEADLINE_S, TimeUnit.SECONDS), () -> "still open: " + ended.getCount());
            assertEquals(0, failed.get());
            Loops.done(server.close(), "close");
            Loops.done(group.shutdownGracefully(0, Loops.DEADLINE_S, TimeUnit.SECONDS), "shutdown");
            assertEquals(0, context.statistics().value(Counter.OPERATIONS_IN_FLIGHT));
        }
        assertTrue(descriptors() <= before, "descriptors before=" + before + ", after=" + descriptors());
    }
}
