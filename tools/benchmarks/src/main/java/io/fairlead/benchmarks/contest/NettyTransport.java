package io.fairlead.benchmarks.contest;

import io.fairlead.Context;
import io.fairlead.IdleStrategy;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
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
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** What carries Netty's channels. */
public enum NettyTransport {
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

    /** Connects to a port. */
    public Channel connect(EventLoopGroup group, String port, ChannelHandler handler) {
        return new Bootstrap()
                .group(group)
                .channel(channel)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(handler)
                .connect(FairleadPeer.loopback(port))
                .syncUninterruptibly()
                .channel();
    }

    /** Listens, and returns the port. */
    public String listen(EventLoopGroup group, ChannelHandler handler) {
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(serverChannel)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(handler)
                .bind(FairleadPeer.loopback(0))
                .syncUninterruptibly()
                .channel();
        return String.valueOf(((InetSocketAddress) listener.localAddress()).getPort());
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

    /**
     * One event loop.
     *
     * @param spins whether it spins now where it has nothing to do; a loop that sleeps asks when something has woken it
     */
    public EventLoopGroup group(BooleanSupplier spins) {
        return new MultiThreadIoEventLoopGroup(1, factory(spins));
    }

    private IoHandlerFactory factory(BooleanSupplier spins) {
        return switch (this) {
            case NIO -> NioIoHandler.newFactory(SelectorProvider.provider(), polling(spins));
            case EPOLL -> EpollIoHandler.newFactory(ANY_EVENTS, busyWait(spins));
            case IO_URING -> IoUringIoHandler.newFactory();
            case FAIRLEAD -> FairleadIoHandler.newFactory(context(), () -> idle(spins));
        };
    }

    /** Looks at the sockets and comes back at once. */
    private static SelectStrategyFactory polling(BooleanSupplier spins) {
        return () -> (look, hasTasks) -> hasTasks || spins.getAsBoolean() ? look.get() : SelectStrategy.SELECT;
    }

    private static SelectStrategyFactory busyWait(BooleanSupplier spins) {
        return () -> (look, hasTasks) -> {
            if (hasTasks) {
                return look.get();
            }
            return spins.getAsBoolean() ? SelectStrategy.BUSY_WAIT : SelectStrategy.SELECT;
        };
    }

    private static IdleStrategy idle(BooleanSupplier spins) {
        IdleStrategy sleep = IdleStrategy.blocking();
        return (worker, events) -> {
            if (!spins.getAsBoolean()) {
                sleep.idle(worker, events);
            }
        };
    }

    /** Ends with the process. */
    private static Context context() {
        return Context.open(FairleadPeer.config("auto", Idle.BLOCK));
    }
}
