package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.netty.bootstrap.ServerBootstrap;
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
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** The answering process of {@link RpcComparison}: a node over each path and a plain Netty server, each with one thread. */
final class RpcEcho {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private RpcEcho() {}

    /**
     * Answers until its input ends. Says its ports in one line: of the node over the best path, of the one over TCP, of the Netty server.
     *
     * @param args none
     */
    public static void main(String[] args) throws IOException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (Node best = node(PathPolicy.AUTO);
                Node tcp = node(PathPolicy.TCP_ONLY)) {
            System.out.println(listen(best) + " " + listen(tcp) + " " + listen(group));
            while (System.in.read() >= 0) {
                // Nothing is said; the end is what counts.
            }
        } finally {
            Future<?> _ = group.shutdownGracefully();
        }
    }

    private static Node node(PathPolicy policy) {
        return Node.start(FairleadConfig.defaults().with(ConfigKeys.POLICY, policy));
    }

    private static int listen(Node node) {
        // As Netty answers: on the thread that has read the request.
        Service _ = node.serve(
                RpcComparison.SERVICE,
                ServiceHandler.replying(request -> RpcPayload.reply(request.segment())),
                ServiceOptions.DEFAULT.onProgressThread());
        Listener listener = node.listen(ANY_PORT, peer -> {
            for (int i = 0; i < RpcComparison.SLOTS; i++) {
                answer(peer);
            }
        });
        return listener.address().getPort();
    }

    /** Answers the next request, and all that follow. */
    private static void answer(Peer peer) {
        // That the peer is gone is what ends it.
        CompletableFuture<Void> _ = peer.receive(0, 0, RpcPayload.LENGTH).thenAccept(request -> answer(peer, request));
    }

    private static void answer(Peer peer, Message request) {
        CompletableFuture<Void> _ = peer.send(RpcPayload.reply(request.segment()), request.tag());
        answer(peer);
    }

    private static int listen(EventLoopGroup group) {
        Channel listening = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel accepted) {
                        accepted.pipeline().addLast(new FixedLengthFrameDecoder(RpcPayload.LENGTH), new Requests());
                    }
                })
                .bind(ANY_PORT)
                .syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) listening.localAddress()).getPort();
    }

    /** Answers each request, and flushes when it has read what there is. */
    private static final class Requests extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf request = (ByteBuf) read;
            ByteBuf reply = context.alloc().directBuffer(RpcPayload.LENGTH);
            long number = request.readLong();
            reply.writeLong(number);
            boolean intact = true;
            for (int i = 1; i < RpcPayload.WORDS; i++) {
                intact &= request.readLong() == RpcPayload.requestWord(number, i);
                reply.writeLong(RpcPayload.replyWord(number, i));
            }
            request.release();
            if (!intact) {
                reply.setLong(0, RpcPayload.refusal(number));
            }
            Future<?> _ = context.write(reply, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // The asking process is done.
            Future<?> _ = context.close();
        }
    }
}
