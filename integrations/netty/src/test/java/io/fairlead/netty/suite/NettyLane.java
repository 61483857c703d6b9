package io.fairlead.netty.suite;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.fault.CutConnections;
import io.fairlead.testkit.fault.SwitchedLanes;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What Netty's suites run over: one transport of Fairlead's, or Netty's own sockets beside it. */
final class NettyLane implements AutoCloseable {
    /** As many as the suites have themselves. */
    private static final int THREADS = Integer.getInteger("fairlead.suite.threads", 4);

    /** Connections of TCP that break again and again, and are made again. */
    static final String CUT = "tcp-cut";

    /** Channels that leave their lanes for TCP and return to them. */
    static final List<String> SWITCHED = List.of("shm-switched", "ucx-posix-switched");

    private static final Duration DISTURBED_EVERY = Duration.ofMillis(50);

    private static volatile @Nullable NettyLane current;
    private static volatile @Nullable SwitchedLanes switched;

    private final EventLoopGroup group;
    private final Class<? extends ServerChannel> serverType;
    private final Class<? extends SocketChannel> clientType;

    private NettyLane(
            EventLoopGroup group,
            Class<? extends ServerChannel> serverType,
            Class<? extends SocketChannel> clientType) {
        this.group = group;
        this.serverType = serverType;
        this.clientType = clientType;
    }

    /** Opens the lane of a name, which is the current one until it is closed. */
    static NettyLane open(String name) {
        ThreadFactory names = new DefaultThreadFactory("suite-" + name, true);
        NettyLane lane = name.equals("nio")
                ? new NettyLane(
                        new MultiThreadIoEventLoopGroup(THREADS, names, NioIoHandler.newFactory()),
                        NioServerSocketChannel.class,
                        NioSocketChannel.class)
                : new NettyLane(
                        group(name, THREADS, names), FairleadServerSocketChannel.class, FairleadSocketChannel.class);
        current = lane;
        return lane;
    }

    /** What contexts of a lane are opened with. */
    static FairleadConfig config(String name) {
        String transport = transport(name);
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, transport.equals("tcp") ? "tcp" : transport + ",tcp")
                .with(ConfigKeys.POLICY, SWITCHED.contains(name) ? PathPolicy.AUTO : PathPolicy.named(transport))
                .with(ConfigKeys.SECURITY_ALLOW_INSECURE, true)
                // Cases block event loops, and share the processor with everything else here.
                .with(ConfigKeys.STALL_TIMEOUT, Duration.ofMinutes(1));
        if (isDisturbed(name)) {
            config = config.with(ConfigKeys.FAILOVER, "on").with(ConfigKeys.FAILBACK_DELAY, Duration.ZERO);
        }
        return name.startsWith("ucx-") ? config.with(lanesOfUcx(), name.split("-", -1)[1] + ",self") : config;
    }

    /** Whether channels of the lane change their paths all the time. */
    private static boolean isDisturbed(String name) {
        return name.equals(CUT) || SWITCHED.contains(name);
    }

    /** The transport of a lane. */
    static String transport(String name) {
        return name.replaceFirst("-.*", "");
    }

    /** Makes event loops over a lane. */
    static EventLoopGroup group(String name, int threads, ThreadFactory names) {
        IoHandlerFactory factory = FairleadIoHandler.newFactory(config(name));
        Supplier<EventLoopGroup> group = () -> new MultiThreadIoEventLoopGroup(threads, names, factory);
        // The first loop opens the context.
        return isDisturbed(name) ? ChosenTransports.with(disturbed(name), group) : group.get();
    }

    private static List<TransportProvider> disturbed(String name) {
        TransportProvider tcp = provider("tcp");
        if (name.equals(CUT)) {
            return List.of(CutConnections.of(tcp, DISTURBED_EVERY));
        }
        SwitchedLanes lanes = new SwitchedLanes(provider(transport(name)), DISTURBED_EVERY);
        switched = lanes;
        return List.of(lanes.provider(), tcp);
    }

    /** How often channels of the last {@link #SWITCHED} lane have left their lanes. */
    static long switches() {
        SwitchedLanes last = switched;
        return last == null ? 0 : last.count();
    }

    private static TransportProvider provider(String transport) {
        return providers()
                .filter(provider -> provider.name().equals(transport))
                .findAny()
                .orElseThrow();
    }

    /** The key of the transport's that says which of UCX's lanes may be used. */
    @SuppressWarnings("unchecked") // It is a key of text.
    private static ConfigKey<String> lanesOfUcx() {
        return (ConfigKey<String>) providers()
                .flatMap(provider -> provider.configKeys().stream())
                .filter(key -> key.name().equals("ucx.tls"))
                .findAny()
                .orElseThrow();
    }

    private static Stream<TransportProvider> providers() {
        return ServiceLoader.load(TransportProvider.class).stream().map(ServiceLoader.Provider::get);
    }

    static NettyLane current() {
        return Objects.requireNonNull(current, "no lane is open");
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> pairs() {
        return List.of(new BootstrapComboFactory<>() {
            @Override
            public ServerBootstrap newServerInstance() {
                return new ServerBootstrap().group(group).channel(serverType);
            }

            @Override
            public Bootstrap newClientInstance() {
                return client();
            }
        });
    }

    List<BootstrapFactory<Bootstrap>> clients() {
        return List.of(this::client);
    }

    private Bootstrap client() {
        return new Bootstrap().group(group).channel(clientType);
    }

    @Override
    public void close() {
        current = null;
        group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(60, TimeUnit.SECONDS);
    }
}
