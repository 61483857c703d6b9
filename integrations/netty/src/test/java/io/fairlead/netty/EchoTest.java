package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@ExtendWith(Leaks.class)
class EchoTest {
    /** Sends back what it reads, in one flush for each round of reads. */
    static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Collects so many bytes. */
    static final class Collect extends ChannelInboundHandlerAdapter {
        private final ByteBuf collected;
        private final int wanted;
        final CompletableFuture<byte[]> all = new CompletableFuture<>();

        Collect(int wanted) {
            this.wanted = wanted;
            this.collected = Unpooled.buffer(wanted);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            collected.writeBytes(buffer);
            buffer.release();
            if (collected.readableBytes() >= wanted) {
                all.complete(java.util.Arrays.copyOf(collected.array(), collected.readableBytes()));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            all.completeExceptionally(cause);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEchoStreamsOfEverySize(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            var server = loops.bind(Echo::new);
            for (int length : new int[] {1, 63, 4096, 65_536, 65_537, 3 << 20}) {
                byte[] sent = new byte[length];
                new Random(length).nextBytes(sent);
                Collect collect = new Collect(length);
                var client = loops.connect(server, () -> collect);
                Loops.done(client.writeAndFlush(Unpooled.wrappedBuffer(sent)), "write");
                assertTrue(java.util.Arrays.equals(sent, collect.all.get(Loops.DEADLINE_S, TimeUnit.SECONDS)));
                Loops.done(client.close(), "close");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldTellPathAndAddresses(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            CompletableFuture<FairleadSocketChannel> child = new CompletableFuture<>();
            var server = loops.bind(() -> new ChannelInboundHandlerAdapter() {
                @Override
                public void channelActive(ChannelHandlerContext context) {
                    child.complete((FairleadSocketChannel) context.channel());
                }
            });
            var client = loops.connect(server, ChannelInboundHandlerAdapter::new);
            var accepted = child.get(Loops.DEADLINE_S, TimeUnit.SECONDS);
            assertEquals(lane.transport(), client.path().orElseThrow().transport());
            assertEquals(
                    lane.transport(),
                    accepted.attr(FairleadSocketChannel.PATH).get().transport());
            assertEquals(
                    io.fairlead.PeerIdentity.ANONYMOUS,
                    accepted.attr(FairleadSocketChannel.PEER_IDENTITY).get());
            assertEquals(server.localAddress(), client.remoteAddress());
            assertEquals(server.localAddress(), accepted.localAddress());
            assertEquals(client.localAddress(), accepted.remoteAddress());
        }
    }
}
