package io.fairlead.netty;

import io.fairlead.FairleadConfig;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Event loops over one lane, a server at a free port and its clients. */
final class Loops implements AutoCloseable {
    /** Far longer than anything here takes on a busy machine. */
    static final long DEADLINE_S = 60;

    private final EventLoopGroup servers;
    private final EventLoopGroup clients;

    Loops(Lane lane) {
        this(lane.config());
    }

    Loops(FairleadConfig config) {
        var factory = FairleadIoHandler.newFactory(config);
        servers = new MultiThreadIoEventLoopGroup(1, factory);
        clients = new MultiThreadIoEventLoopGroup(1, factory);
    }

    EventLoopGroup servers() {
        return servers;
    }

    EventLoopGroup clients() {
        return clients;
    }

    ServerBootstrap server() {
        return new ServerBootstrap().group(servers).channel(FairleadServerSocketChannel.class);
    }

    Bootstrap client() {
        return new Bootstrap().group(clients).channel(FairleadSocketChannel.class);
    }

    FairleadServerSocketChannel bind(Supplier<? extends ChannelHandler> children) {
        return bind(server(), children);
    }

    static FairleadServerSocketChannel bind(ServerBootstrap server, Supplier<? extends ChannelHandler> children) {
        var bound = server.childHandler(initializer(children))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return (FairleadServerSocketChannel) done(bound, "bind").channel();
    }

    FairleadSocketChannel connect(FairleadServerSocketChannel server, Supplier<? extends ChannelHandler> handlers) {
        return connect(client(), server, handlers);
    }

    static FairleadSocketChannel connect(
            Bootstrap client, FairleadServerSocketChannel server, Supplier<? extends ChannelHandler> handlers) {
        var connected = client.handler(initializer(handlers)).connect(server.localAddress());
        return (FairleadSocketChannel) done(connected, "connect").channel();
    }

    private static ChannelHandler initializer(Supplier<? extends ChannelHandler> handlers) {
        return new ChannelInitializer<FairleadSocketChannel>() {
            @Override
            protected void initChannel(FairleadSocketChannel channel) {
                channel.pipeline().addLast(handlers.get());
            }
        };
    }

    /** Waits until a future has succeeded. */
    static <F extends Future<?>> F done(F future, String what) {
        ended(future, what);
        if (future.cause() != null) {
            throw new AssertionError(what + " has failed", future.cause());
        }
        return future;
    }

    /** Waits until a future has ended, however. */
    static <F extends Future<?>> F ended(F future, String what) {
        if (!future.awaitUninterruptibly(DEADLINE_S, TimeUnit.SECONDS)) {
            throw new AssertionError(what + " has not ended within " + DEADLINE_S + " s");
        }
        return future;
    }

    @Override
    public void close() {
        var first = clients.shutdownGracefully(0, DEADLINE_S, TimeUnit.SECONDS);
        var second = servers.shutdownGracefully(0, DEADLINE_S, TimeUnit.SECONDS);
        done(first, "shutdown of the clients");
        done(second, "shutdown of the servers");
    }
}
