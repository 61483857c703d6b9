package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers and goodbyes that arrive together, at a loop that was busy meanwhile. */
@ExtendWith(Leaks.class)
class AnswerBeforeCloseTest {
    /** More than a loop has receives posted. */
    private static final int CHANNELS = 40;

    private static final int ANSWER = 16 << 10;

    /** Answers the first bytes that come, and closes. */
    private static final class AnswerAndClose extends ChannelInboundHandlerAdapter {
        private final CountDownLatch closed;
        private boolean answered;

        AnswerAndClose(CountDownLatch closed) {
            this.closed = closed;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            if (!answered) {
                answered = true;
                context.writeAndFlush(Unpooled.wrappedBuffer(new byte[ANSWER]))
                        .addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            closed.countDown();
        }
    }

    /** Counts what comes until the end. */
    private static final class Asker extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Integer> whole = new CompletableFuture<>();
        private int bytes;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes += buffer.readableBytes();
            buffer.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            whole.complete(bytes);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            whole.completeExceptionally(cause);
        }
    }

    @ParameterizedTest
    @EnumSource(Lane.class)
    void shouldReadAnswersOfPeersThatHaveClosed(Lane lane) throws Exception {
        try (Loops loops = new Loops(lane)) {
            CountDownLatch closed = new CountDownLatch(CHANNELS);
            var server = loops.bind(() -> new AnswerAndClose(closed));
            List<Asker> askers = new ArrayList<>();
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < CHANNELS; i++) {
                Asker asker = new Asker();
                askers.add(asker);
                channels.add(loops.connect(server, () -> asker));
            }
            // The questions leave with the turns behind this one, before the last task blocks the loop.
            ask(loops, channels);
            CountDownLatch blocked = new CountDownLatch(1);
            loops.clients().schedule(() -> block(loops, closed, blocked), 20, TimeUnit.MILLISECONDS);
            assertTrue(blocked.await(Loops.DEADLINE_S, TimeUnit.SECONDS), "the loop was not blocked");
            // What peers that are gone do not read breaks their connections.
            ask(loops, channels);
            for (Asker asker : askers) {
                assertEquals(ANSWER, asker.whole.get(Loops.DEADLINE_S, TimeUnit.SECONDS));
            }
        }
    }

    private static void ask(Loops loops, List<Channel> channels) {
        Loops.ended(
                loops.clients()
                        .submit(() -> channels.forEach(
                                channel -> channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[1])))),
                "questions");
    }

    private static void block(Loops loops, CountDownLatch closed, CountDownLatch blocked) {
        try {
            boolean _ = closed.await(Loops.DEADLINE_S, TimeUnit.SECONDS);
            // Goodbyes leave in turns of the servers' loop behind that.
            boolean _ = loops.servers()
                    .schedule(() -> {}, 300, TimeUnit.MILLISECONDS)
                    .await(Loops.DEADLINE_S, TimeUnit.SECONDS);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
        blocked.countDown();
    }
}
