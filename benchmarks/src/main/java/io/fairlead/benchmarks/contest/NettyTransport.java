package io.fairlead.benchmarks.contest;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.IdleStrategy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.Optional;

/** What carries Netty's channels. */
enum NettyTransport {
    NIO(NioSocketChannel.class, NioServerSocketChannel.class),
    EPOLL(EpollSocketChannel.class, EpollServerSocketChannel.class),
    IO_URING(IoUringSocketChannel.class, IoUringServerSocketChannel.class),
    /** Fairlead's channels, by the best path of the host. */
    FAIRLEAD(FairleadSocketChannel.class, FairleadServerSocketChannel.class);

    private static final int ANY_EVENTS = 0;

    private final Class<? extends SocketChannel> channel;
    private final Class<? extends ServerSocketChannel> serverChannel;

    NettyTransport(Class<? extends SocketChannel> channel, Class<? extends ServerSocketChannel> serverChannel) {
        this.channel = channel;
        this.serverChannel = serverChannel;
    }

    Class<? extends SocketChannel> channel() {
        return channel;
    }

    Class<? extends ServerSocketChannel> serverChannel() {
        return serverChannel;
    }

    /** Why it cannot be used here. */
    Optional<String> unavailable() {
        return Optional.ofNullable(
                        switch (this) {
                            case EPOLL -> Epoll.unavailabilityCause();
                            case IO_URING -> IoUring.unavailabilityCause();
                            default -> null;
                        })
                .map(Throwable::toString);
    }

    EventLoopGroup group(Idle idle) {
        return new MultiThreadIoEventLoopGroup(1, factory(idle == Idle.SPIN));
    }

    private IoHandlerFactory factory(boolean spins) {
        return switch (this) {
            case NIO ->
                spins ? NioIoHandler.newFactory(SelectorProvider.provider(), polling()) : NioIoHandler.newFactory();
            case EPOLL -> spins ? EpollIoHandler.newFactory(ANY_EVENTS, busyWait()) : EpollIoHandler.newFactory();
            case IO_URING -> IoUringIoHandler.newFactory();
            case FAIRLEAD ->
                FairleadIoHandler.newFactory(context(), spins ? IdleStrategy::busySpin : IdleStrategy::blocking);
        };
    }

    /** Looks at the sockets and comes back at once. */
    private static SelectStrategyFactory polling() {
        return () -> (look, hasTasks) -> look.get();
    }

    private static SelectStrategyFactory busyWait() {
        return () -> (look, hasTasks) -> hasTasks ? look.get() : SelectStrategy.BUSY_WAIT;
    }

    /** Ends with the process. */
    private static Context context() {
        return Context.open(FairleadConfig.defaults().with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(30)));
    }
}
