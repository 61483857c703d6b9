package io.fairlead.netty.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.netty.FairleadSocketChannel;
import io.fairlead.netty.suite.NettyLanes;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;

/** gRPC's own interoperability suite, with the stubs, the server and the builders that it brings. */
class InteropTest {
    private static volatile EventLoopGroup loops;

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp", "ucx-posix", "tcp-cut", "shm-switched", "ucx-posix-switched"})
    void shouldPassInteroperabilitySuite(String lane) {
        Assumptions.assumeTrue(NettyLanes.isUsable(lane), lane + " is not available here");
        loops = NettyLanes.group(lane, 2);
        try {
            Result result = JUnitCore.runClasses(Suite.class);
            assertEquals(
                    List.of(),
                    result.getFailures().stream().map(Failure::getTrace).collect(Collectors.toList()));
            assertTrue(result.getRunCount() >= 30, "cases=" + result.getRunCount());
            if (lane.endsWith("-switched")) {
                assertTrue(NettyLanes.switches() > 10, "switches=" + NettyLanes.switches());
            }
        } finally {
            NettyLanes.end(loops);
        }
    }

    /** The suite, with the one line at each side that Fairlead asks for. */
    public static final class Suite extends AbstractInteropTest {
        private volatile FairleadServerSocketChannel listening;

        /** Made by JUnit 4. */
        public Suite() {}

        @Override
        protected ServerBuilder<?> getServerBuilder() {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            return NettyServerBuilder.forAddress(address, InsecureServerCredentials.create())
                    // As channelType(FairleadServerSocketChannel.class), and tells the port.
                    .channelFactory(() -> {
                        listening = new FairleadServerSocketChannel();
                        return listening;
                    })
                    .bossEventLoopGroup(loops)
                    .workerEventLoopGroup(loops)
                    .flowControlWindow(AbstractInteropTest.TEST_FLOW_CONTROL_WINDOW)
                    .maxInboundMessageSize(AbstractInteropTest.MAX_MESSAGE_SIZE)
                    .addStreamTracerFactory(createCustomCensusTracerFactory());
        }

        @Override
        protected ManagedChannelBuilder<?> createChannelBuilder() {
            NettyChannelBuilder builder = NettyChannelBuilder.forAddress(listening.localAddress())
                    .channelType(FairleadSocketChannel.class, InetSocketAddress.class)
                    .eventLoopGroup(loops)
                    .usePlaintext()
                    .flowControlWindow(AbstractInteropTest.TEST_FLOW_CONTROL_WINDOW)
                    .maxInboundMessageSize(AbstractInteropTest.MAX_MESSAGE_SIZE);
            InternalNettyChannelBuilder.setStatsEnabled(builder, false);
            return builder.intercept(createCensusStatsClientInterceptor());
        }
    }
}
