package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.cli.measure.Side;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.Service;
import io.fairlead.node.ServiceHandler;
import io.fairlead.node.ServiceOptions;
import io.grpc.Server;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The answering process: a node over each path, a plain Netty server, and a gRPC server for each of gRPC's contestants, each with one thread. Its arguments
 * are the path of gRPC's socket, then gRPC's contestants; its address the ports, in this order.
 */
final class RpcSide implements Side {
    /** The tag of requests. */
    static final long SERVICE = 64;

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    RpcSide(List<String> arguments, Optional<String> address) throws IOException {
        listen(PathPolicy.AUTO);
        listen(PathPolicy.TCP_ONLY);
        ports.add(listen(group));
        Path socket = Path.of(arguments.getFirst());
        for (String name : arguments.subList(1, arguments.size())) {
            GrpcLoops loops = new GrpcLoops(GrpcContestant.valueOf(name));
            Server server = loops.server(socket);
            open.add(server::shutdownNow);
            open.add(loops);
            ports.add(server.getPort());
        }
    }

    @Override
    public String address() {
        return ports.stream().map(String::valueOf).collect(Collectors.joining(" "));
    }

    @Override
    public String turn(String line, Runnable begun) {
        throw new IllegalArgumentException("no such turn: " + line);
    }

    private void listen(PathPolicy policy) {
        Node node = Node.start(FairleadConfig.defaults().with(ConfigKeys.POLICY, policy));
        open.add(node);
        // As Netty answers: on the thread that has read the request.
        Service _ = node.serve(
                SERVICE,
                ServiceHandler.replying(request -> RpcPayload.reply(request.segment())),
                ServiceOptions.DEFAULT.onProgressThread());
        Listener listener = node.listen(ANY_PORT, peer -> {
            for (int i = 0; i < RpcClient.SLOTS; i++) {
                answer(peer);
            }
        });
        ports.add(listener.address().getPort());
    }

    /** Answers the next request, and all that follow. */
    private static void answer(Peer peer) {
        // That the peer is gone is what ends it.
        CompletableFuture<Void> _ = peer.receive(0, 0, RpcPayload.LENGTH).thenAccept(request -> {
            CompletableFuture<Void> _ = peer.send(RpcPayload.reply(request.segment()), request.tag());
            answer(peer);
        });
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
            // The asking process has ended.
            Future<?> _ = context.close();
        }
    }

    @Override
    public void close() {
        for (AutoCloseable one : open) {
            try {
                one.close();
            } catch (Exception late) {
                throw new IllegalStateException("a server does not end", late);
            }
        }
        Future<?> _ = group.shutdownGracefully();
    }
}
