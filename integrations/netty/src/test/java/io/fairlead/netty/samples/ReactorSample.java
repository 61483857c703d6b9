package io.fairlead.netty.samples;

import io.fairlead.FairleadConfig;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.resolver.DefaultAddressResolverGroup;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.DisposableServer;
import reactor.netty.resources.ConnectionProvider;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** An echo by Reactor Netty, over shared memory, RDMA or TCP. */
final class ReactorSample {
    private ReactorSample() {}

    // tag::loops
    /** Event loops and channels of Fairlead, for runOn. Names are resolved by the JDK: Netty's own resolver wants datagrams. */
    record FairleadLoops(EventLoopGroup group) implements LoopResources {
        @Override
        public EventLoopGroup onServer(boolean useNative) {
            return group;
        }

        @Override
        public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup loops) {
            return type.cast(
                    ServerChannel.class.isAssignableFrom(type)
                            ? new FairleadServerSocketChannel()
                            : new FairleadSocketChannel());
        }

        @Override
        public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup loops) {
            return (ServerChannel.class.isAssignableFrom(type)
                            ? FairleadServerSocketChannel.class
                            : FairleadSocketChannel.class)
                    .asSubclass(type);
        }

        @Override
        public Mono<Void> disposeLater(Duration quietPeriod, Duration timeout) {
            return Mono.fromRunnable(group::shutdownGracefully);
        }
    }
    // end::loops

    static String echo(FairleadConfig config, String text) {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, FairleadIoHandler.newFactory(config));
        LoopResources loops = new FairleadLoops(group);
        // tag::server
        DisposableServer server = TcpServer.create()
                .runOn(loops)
                .host("localhost")
                .port(0)
                .handle((in, out) -> out.send(in.receive().retain()))
                .bindNow();
        // end::server
        // tag::client
        Connection client = TcpClient.create(ConnectionProvider.newConnection())
                .runOn(loops)
                .resolver(DefaultAddressResolverGroup.INSTANCE)
                .host("localhost")
                .port(server.port())
                .connectNow();
        // end::client
        try {
            client.outbound().sendString(Mono.just(text)).then().block(Duration.ofMinutes(1));
            StringBuilder echoed = new StringBuilder();
            client.inbound()
                    .receive()
                    .asString()
                    .takeUntil(part -> echoed.append(part).length() >= text.length())
                    .blockLast(Duration.ofMinutes(1));
            return echoed.toString();
        } finally {
            client.disposeNow();
            server.disposeNow();
            loops.dispose();
        }
    }
}
