package io.fairlead.benchmarks.rpc;

import io.fairlead.benchmarks.contest.NettyTransport;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.benchmarks.contest.RequestSide;
import io.fairlead.benchmarks.contest.RequestSide.Answers;
import io.fairlead.benchmarks.contest.RequestSide.Asker;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A plain client and server of Netty's, each with one event loop, which is flushed when it has read what there is. */
final class NettyRequests {
    private static final int SIZE = RpcCommand.SIZE;

    private NettyRequests() {}

    static RequestSide open(Optional<String> address) {
        EventLoopGroup group = NettyTransport.NIO.group(() -> false);
        AutoCloseable end = () -> group.shutdownGracefully().syncUninterruptibly();
        if (address.isEmpty()) {
            Answers answers = new Answers();
            return RequestSide.answering(
                    NettyTransport.NIO.listen(group, pipeline(() -> new Requests(answers))), answers, end);
        }
        Replies replies = new Replies();
        Channel channel = NettyTransport.NIO.connect(group, address.get(), pipeline(() -> replies));
        return RequestSide.asking("nio", replies.asker(channel), end);
    }

    private static ChannelInitializer<SocketChannel> pipeline(Supplier<ChannelHandler> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel made) {
                made.pipeline().addLast(new FixedLengthFrameDecoder(SIZE), handler.get());
            }
        };
    }

    private abstract static class Flushing extends ChannelInboundHandlerAdapter {
        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Answers each request. */
    private static final class Requests extends Flushing {
        private final Answers answers;

        Requests(Answers answers) {
            this.answers = answers;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf request = (ByteBuf) read;
            MemorySegment reply = answers.reply(MemorySegment.ofBuffer(request.nioBuffer()));
            // Its bytes have been read, and the reply has as many.
            request.clear().writeBytes(reply.asByteBuffer());
            Future<?> _ = context.write(request, context.voidPromise());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The asking process has ended.
            Future<?> _ = context.close();
        }
    }

    /** What waits for replies. */
    private static final class Replies extends Flushing {
        @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
        private final @Nullable CompletableFuture<Void>[] waiting = new CompletableFuture[RequestSide.SLOTS];

        Asker asker(Channel channel) {
            return (slot, number, size) -> {
                CompletableFuture<Void> replied = new CompletableFuture<>();
                // The event loop sees it by way of the write.
                waiting[slot] = replied;
                ByteBuf request = channel.alloc().directBuffer(size).writerIndex(size);
                Payload.write(size, number, (offset, value) -> request.setLongLE(offset, value));
                // On the event loop it is flushed with the others.
                Future<?> _ = channel.eventLoop().inEventLoop()
                        ? channel.write(request, channel.voidPromise())
                        : channel.writeAndFlush(request, channel.voidPromise());
                return replied;
            };
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf reply = (ByteBuf) read;
            int start = reply.readerIndex();
            long number = ~reply.getLongLE(start);
            int slot = (int) Math.floorMod(number, (long) RequestSide.SLOTS);
            CompletableFuture<Void> replied = waiting[slot];
            waiting[slot] = null;
            if (replied == null) {
                throw new IllegalStateException("a reply to no request: number=" + number);
            }
            Payload.check(SIZE, ~number, offset -> reply.getLongLE(start + offset));
            reply.release();
            replied.complete(null);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(new IOException("the answering process is gone"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
            Future<?> _ = context.close();
        }

        private void fail(Throwable cause) {
            for (CompletableFuture<Void> replied : waiting) {
                if (replied != null) {
                    replied.completeExceptionally(cause);
                }
            }
        }
    }
}
