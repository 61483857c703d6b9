package io.fairlead.benchmarks.rpc;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Asks by a plain Netty client, whose one event loop is flushed when it has read what there is. */
final class NettyClient implements RpcClient {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Replies replies = new Replies();
    private final Channel channel;

    NettyClient(InetSocketAddress address) {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel made) {
                        made.pipeline().addLast(new FixedLengthFrameDecoder(RpcPayload.LENGTH), replies);
                    }
                });
        channel = bootstrap.connect(address).syncUninterruptibly().channel();
    }

    @Override
    public CompletableFuture<Void> ask(int slot, long number) {
        CompletableFuture<Void> replied = new CompletableFuture<>();
        // The event loop sees it by way of the write.
        replies.waiting[slot] = replied;
        ByteBuf request = channel.alloc().directBuffer(RpcPayload.LENGTH);
        for (int i = 0; i < RpcPayload.WORDS; i++) {
            request.writeLong(RpcPayload.requestWord(number, i));
        }
        if (channel.eventLoop().inEventLoop()) {
            // Flushed with the others, by channelReadComplete.
            Future<?> _ = channel.write(request, channel.voidPromise());
        } else {
            Future<?> _ = channel.writeAndFlush(request, channel.voidPromise());
        }
        return replied;
    }

    /** What waits for replies. */
    private static final class Replies extends ChannelInboundHandlerAdapter {
        @SuppressWarnings({"unchecked", "rawtypes"}) // There are no arrays of generic types.
        private final @Nullable CompletableFuture<Void>[] waiting = new CompletableFuture[SLOTS];

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf reply = (ByteBuf) read;
            long first = reply.readLong();
            long number = first < 0 ? RpcPayload.refusal(first) : first;
            boolean intact = first >= 0;
            for (int i = 1; i < RpcPayload.WORDS; i++) {
                intact &= reply.readLong() == RpcPayload.replyWord(number, i);
            }
            reply.release();
            int slot = (int) (number % SLOTS);
            CompletableFuture<Void> replied = waiting[slot];
            waiting[slot] = null;
            if (replied == null) {
                throw new IllegalStateException("a reply to no request: number=" + number);
            }
            if (intact) {
                replied.complete(null);
            } else {
                replied.completeExceptionally(RpcPayload.broken(number));
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
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

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        Future<?> _ = group.shutdownGracefully();
    }
}
