package io.fairlead.netty.suite;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.AbstractSocketReuseFdTest;
import io.netty.testsuite.transport.socket.CompositeBufferGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketAddressesTest;
import io.netty.testsuite.transport.socket.SocketAutoReadTest;
import io.netty.testsuite.transport.socket.SocketBufReleaseTest;
import io.netty.testsuite.transport.socket.SocketCancelWriteTest;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketCloseForciblyTest;
import io.netty.testsuite.transport.socket.SocketConditionalWritabilityTest;
import io.netty.testsuite.transport.socket.SocketConnectTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.SocketDataReadInitialStateTest;
import io.netty.testsuite.transport.socket.SocketEchoTest;
import io.netty.testsuite.transport.socket.SocketExceptionHandlingTest;
import io.netty.testsuite.transport.socket.SocketFileRegionTest;
import io.netty.testsuite.transport.socket.SocketFixedLengthEchoTest;
import io.netty.testsuite.transport.socket.SocketGatheringWriteTest;
import io.netty.testsuite.transport.socket.SocketHalfClosedTest;
import io.netty.testsuite.transport.socket.SocketMultipleConnectTest;
import io.netty.testsuite.transport.socket.SocketObjectEchoTest;
import io.netty.testsuite.transport.socket.SocketReadPendingTest;
import io.netty.testsuite.transport.socket.SocketRstTest;
import io.netty.testsuite.transport.socket.SocketSpdyEchoTest;
import io.netty.testsuite.transport.socket.SocketSslClientRenegotiateTest;
import io.netty.testsuite.transport.socket.SocketSslEchoTest;
import io.netty.testsuite.transport.socket.SocketSslGreetingTest;
import io.netty.testsuite.transport.socket.SocketSslSessionReuseTest;
import io.netty.testsuite.transport.socket.SocketStartTlsTest;
import io.netty.testsuite.transport.socket.SocketStringEchoTest;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;

/** Netty's socket suites, each over the lane that runs now. They are run by {@link NettySuite} and not by name. */
final class Suites {
    private Suites() {}

    /** All of them. */
    static List<Class<?>> all() {
        return List.of(Suites.class.getDeclaredClasses());
    }

    static final class CompositeBufferGatheringWrite extends CompositeBufferGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketAutoRead extends SocketAutoReadTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketBufRelease extends SocketBufReleaseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketCancelWrite extends SocketCancelWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketCloseForcibly extends SocketCloseForciblyTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketConditionalWritability extends SocketConditionalWritabilityTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketConnect extends SocketConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketDataReadInitialState extends SocketDataReadInitialStateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketEcho extends SocketEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketExceptionHandling extends SocketExceptionHandlingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketFileRegion extends SocketFileRegionTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketFixedLengthEcho extends SocketFixedLengthEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketGatheringWrite extends SocketGatheringWriteTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketHalfClosed extends SocketHalfClosedTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketMultipleConnect extends SocketMultipleConnectTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketObjectEcho extends SocketObjectEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketReadPending extends SocketReadPendingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketRst extends SocketRstTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketSpdyEcho extends SocketSpdyEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketSslClientRenegotiate extends SocketSslClientRenegotiateTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketSslGreeting extends SocketSslGreetingTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketSslSessionReuse extends SocketSslSessionReuseTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketStartTls extends SocketStartTlsTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketStringEcho extends SocketStringEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class TrafficShapingHandler extends TrafficShapingHandlerTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }

    static final class SocketChannelNotYetConnected extends SocketChannelNotYetConnectedTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return NettyLane.current().clients();
        }
    }

    static final class SocketConnectionAttempt extends SocketConnectionAttemptTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return NettyLane.current().clients();
        }
    }

    static final class WriteBeforeRegistered extends WriteBeforeRegisteredTest {
        @Override
        protected List<BootstrapFactory<Bootstrap>> newFactories() {
            return NettyLane.current().clients();
        }
    }

    static final class SocketAddresses extends SocketAddressesTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }

        @Override
        protected void assertAddress(SocketAddress address) {
            assertTrue(((InetSocketAddress) address).getPort() > 0);
            assertFalse(((InetSocketAddress) address).getAddress().isAnyLocalAddress());
        }
    }

    static final class SocketReuseFd extends AbstractSocketReuseFdTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }

        @Override
        protected SocketAddress newSocketAddress() {
            return new InetSocketAddress(NetUtil.LOCALHOST, 0);
        }
    }

    static final class SocketSslEcho extends SocketSslEchoTest {
        @Override
        protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
            return NettyLane.current().pairs();
        }
    }
}
