package io.fairlead.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.Context;
import io.fairlead.FairleadException;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.resolver.NoopAddressResolverGroup;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyBoundException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Leaks.class)
class MistakeTest {
    private static final InetSocketAddress FREE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static void assertLine(Throwable cause, String... parts) {
        String message = cause.getMessage();
        assertTrue(message.lines().count() == 1, message);
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void shouldNameTheGroupThatAChannelNeeds() {
        var nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            var client = new Bootstrap().group(nio).channel(FairleadSocketChannel.class);
            var connected = Loops.ended(
                    client.handler(new ChannelInboundHandlerAdapter()).connect(FREE), "connect on a NIO loop");
            assertLine(connected.cause(), "FairleadSocketChannel", "eventLoop=", "FairleadIoHandler.newFactory");
            var server = new ServerBootstrap().group(nio).channel(FairleadServerSocketChannel.class);
            var bound = Loops.ended(
                    server.childHandler(new ChannelInboundHandlerAdapter()).bind(FREE), "bind on a NIO loop");
            assertLine(bound.cause(), "FairleadServerSocketChannel", "FairleadIoHandler.newFactory");
        } finally {
            Loops.done(nio.shutdownGracefully(0, 60, TimeUnit.SECONDS), "shutdown");
        }
    }

    @Test
    void shouldRefuseChannelsOfOtherTransports() {
        try (Loops loops = new Loops(Lane.TCP)) {
            var client = new Bootstrap().group(loops.clients()).channel(NioSocketChannel.class);
            var connected = Loops.ended(
                    client.handler(new ChannelInboundHandlerAdapter()).connect(FREE), "connect by NIO");
            assertInstanceOf(IllegalStateException.class, connected.cause());
        }
    }

    @Test
    void shouldNameTheContextThatChildrenNeed() {
        try (Loops loops = new Loops(Lane.TCP);
                Loops others = new Loops(Lane.TCP)) {
            var server = Loops.bind(
                    new ServerBootstrap()
                            .group(loops.servers(), others.servers())
                            .channel(FairleadServerSocketChannel.class)
                            .handler(new ChannelInboundHandlerAdapter()),
                    ChannelInboundHandlerAdapter::new);
            // The child cannot be registered; its peer is told so instead of waiting.
            var connected = Loops.ended(
                    loops.client().handler(new ChannelInboundHandlerAdapter()).connect(server.localAddress()),
                    "connect to a server whose children have another context");
            assertLine(assertInstanceOf(ConnectException.class, connected.cause()), "child group", "one factory");
        }
    }

    @Test
    void shouldNameTheHostThatIsNotResolved() {
        try (Loops loops = new Loops(Lane.TCP)) {
            var client = loops.client().handler(new ChannelInboundHandlerAdapter());
            var unknown = Loops.ended(client.connect("no-such-host.invalid", 1), "connect to nowhere");
            assertInstanceOf(UnknownHostException.class, unknown.cause());
            var unresolving = loops.client()
                    .handler(new ChannelInboundHandlerAdapter())
                    .resolver(NoopAddressResolverGroup.INSTANCE);
            var unresolved = Loops.ended(
                    unresolving.connect(InetSocketAddress.createUnresolved("some-host", 7)), "connect unresolved");
            assertLine(assertInstanceOf(UnknownHostException.class, unresolved.cause()), "some-host", "resolver");
        }
    }

    @Test
    void shouldRefuseAnAddressToConnectFrom() {
        try (Loops loops = new Loops(Lane.TCP)) {
            var client = loops.client().handler(new ChannelInboundHandlerAdapter());
            var connected = Loops.ended(
                    client.connect(FREE, new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711)),
                    "connect from a port");
            assertLine(connected.cause(), "4711", "leave it out");
        }
    }

    @Test
    void shouldFailLikeASocketWhereNobodyListens() {
        try (Loops loops = new Loops(Lane.TCP)) {
            var server = loops.bind(ChannelInboundHandlerAdapter::new);
            var address = server.localAddress();
            Loops.done(server.close(), "close");
            var connected = Loops.ended(
                    loops.client().handler(new ChannelInboundHandlerAdapter()).connect(address), "connect");
            var refused = assertInstanceOf(ConnectException.class, connected.cause());
            assertEquals(
                    FairleadException.Reason.CONNECTION_REFUSED,
                    assertInstanceOf(FairleadException.class, refused.getCause())
                            .reason());
        }
    }

    @Test
    void shouldTellThatAnOptionIsUnknown() {
        FairleadSocketChannel channel = new FairleadSocketChannel();
        assertTrue(channel.config().setOption(ChannelOption.TCP_NODELAY, true));
        assertTrue(!channel.config().setOption(ChannelOption.TCP_FASTOPEN_CONNECT, true));
        channel.unsafe().closeForcibly();
    }

    @Test
    void shouldLeaveTheContextOfACallerOpen() throws Exception {
        try (Context context = Context.open(Lane.TCP.config())) {
            var group = new MultiThreadIoEventLoopGroup(2, FairleadIoHandler.newFactory(context));
            Channel bound = Loops.done(
                            new ServerBootstrap()
                                    .group(group)
                                    .channel(FairleadServerSocketChannel.class)
                                    .childHandler(new ChannelInboundHandlerAdapter())
                                    .bind(FREE),
                            "bind")
                    .channel();
            Loops.done(group.shutdownGracefully(0, 60, TimeUnit.SECONDS), "shutdown");
            assertTrue(!bound.isOpen());
            // Closed workers would keep it from closing; an open context makes another one.
            context.newWorker().close();
        }
    }

    @Test
    void shouldRefuseToBindTwice() {
        try (Loops loops = new Loops(Lane.TCP)) {
            var server = loops.bind(ChannelInboundHandlerAdapter::new);
            var address = server.localAddress();
            var again = Loops.ended(server.bind(FREE), "bind again");
            assertInstanceOf(AlreadyBoundException.class, again.cause());
            assertEquals(address, server.localAddress());
            Loops.done(server.close(), "close");
            // The port is free again.
            var second = Loops.done(
                    loops.server()
                            .childHandler(new ChannelInboundHandlerAdapter())
                            .bind(address),
                    "bind the same port");
            Loops.done(second.channel().close(), "close");
        }
    }

    @Test
    void shouldNameTheLoopsThatChildrenNeed() {
        var nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (Loops loops = new Loops(Lane.TCP)) {
            var server = Loops.bind(
                    new ServerBootstrap()
                            .group(loops.servers(), nio)
                            .channel(FairleadServerSocketChannel.class)
                            .handler(new ChannelInboundHandlerAdapter()),
                    ChannelInboundHandlerAdapter::new);
            var connected = Loops.ended(
                    loops.client().handler(new ChannelInboundHandlerAdapter()).connect(server.localAddress()),
                    "connect to a server whose children are on other loops");
            assertLine(assertInstanceOf(ConnectException.class, connected.cause()), "child group", "another transport");
        } finally {
            Loops.done(nio.shutdownGracefully(0, 60, TimeUnit.SECONDS), "shutdown");
        }
    }

    @Test
    void shouldSayThatTheContextIsClosed() {
        Context context = Context.open(Lane.TCP.config());
        var group = new MultiThreadIoEventLoopGroup(1, FairleadIoHandler.newFactory(context));
        context.close();
        try {
            var bound = Loops.ended(
                    new ServerBootstrap()
                            .group(group)
                            .channel(FairleadServerSocketChannel.class)
                            .childHandler(new ChannelInboundHandlerAdapter())
                            .bind(FREE),
                    "bind on a closed context");
            assertLine(bound.cause(), "event loop has no worker", "closed");
        } finally {
            Loops.done(group.shutdownGracefully(0, 60, TimeUnit.SECONDS), "shutdown");
        }
    }

    @Test
    void shouldRefuseNoIdleStrategy() {
        try (Context context = Context.open(Lane.TCP.config())) {
            IoHandlerFactory factory = FairleadIoHandler.newFactory(context, () -> null);
            var refused = assertThrows(RuntimeException.class, () -> new MultiThreadIoEventLoopGroup(1, factory));
            Throwable cause = refused.getCause() == null ? refused : refused.getCause();
            assertLine(cause, "IdleStrategy", "null");
        }
    }

    @Test
    void shouldFailToBindLikeASocket() {
        try (Loops loops = new Loops(Lane.TCP)) {
            var bound = Loops.ended(
                    loops.server()
                            .childHandler(new ChannelInboundHandlerAdapter())
                            .bind(0),
                    "bind beyond loopback without security");
            assertLine(assertInstanceOf(BindException.class, bound.cause()), "without security", "allow-insecure");
        }
    }
}
