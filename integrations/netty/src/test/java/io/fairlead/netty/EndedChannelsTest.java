package io.fairlead.netty;

import io.fairlead.testkit.contract.LiveObjects;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An event loop keeps nothing of channels that have ended. */
class EndedChannelsTest {
    private static final int CHANNELS = 500;

    /** Asks once, and closes when the answer is there. */
    private static final class Asker extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.copyInt(42));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            context.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void shouldKeepNothingOfChannelsThatEnded(Lane lane) {
        try (Loops loops = new Loops(lane)) {
            FairleadServerSocketChannel server = loops.bind(EchoTest.Echo::new);
            Bootstrap client = loops.client();
            LiveObjects.assertNothingLeftOf(
                    CHANNELS,
                    () -> Loops.done(
                            Loops.connect(client, server, Asker::new).closeFuture(), "the end of the channel"));
        }
    }
}
