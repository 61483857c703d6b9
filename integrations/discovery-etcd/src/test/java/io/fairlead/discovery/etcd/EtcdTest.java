package io.fairlead.discovery.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.testkit.OutsideServer;
import io.fairlead.testkit.layers.discovery.RollingRestart;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Services that a real etcd knows, which the test starts and ends. */
@Timeout(120)
final class EtcdTest {
    private static final int RESTARTS = Integer.getInteger("fairlead.test.restarts", 10);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Member MEMBER = Member.of("a pod", new InetSocketAddress("127.0.0.1", 7400));

    @TempDir
    private Path folder;

    private final Semaphore changes = new Semaphore(0);
    private final DiscoveryContext context =
            new DiscoveryContext(FairleadConfig.defaults(), Duration.ofSeconds(1), changes::release);
    private final EtcdProvider provider = new EtcdProvider();
    private int port;
    private int peerPort;
    private OutsideServer server;
    private ServiceName name;

    @BeforeEach
    void startServer() throws Exception {
        port = freePort();
        peerPort = freePort();
        name = ServiceName.parse("etcd://127.0.0.1:" + port + "/services/feed");
        start();
    }

    private void start() throws Exception {
        server = OutsideServer.start(
                "etcd",
                folder.resolve("output"),
                List.of(
                        "--data-dir=" + folder.resolve("data"),
                        "--listen-client-urls=http://127.0.0.1:" + port,
                        "--advertise-client-urls=http://127.0.0.1:" + port,
                        "--listen-peer-urls=http://127.0.0.1:" + peerPort,
                        "--initial-advertise-peer-urls=http://127.0.0.1:" + peerPort,
                        "--initial-cluster=default=http://127.0.0.1:" + peerPort));
        server.awaitOutput("serving insecure client requests on");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @AfterEach
    void endServer() {
        // None is there where etcd is not.
        if (server != null) {
            server.close();
        }
    }

    private void awaitMembers(Resolver resolver, List<Member> wanted) throws InterruptedException {
        List<Member> found = resolver.resolve(TIMEOUT).members();
        while (!found.equals(wanted)) {
            assertTrue(changes.tryAcquire(60, TimeUnit.SECONDS), "no change was told, members=" + found);
            found = resolver.resolve(TIMEOUT).members();
        }
    }

    @Test
    void shouldFollowRegistrations() throws Exception {
        try (Resolver resolver = provider.resolver(name, context)) {
            awaitMembers(resolver, List.of());
            Registrar registrar = provider.registrar(name, MEMBER, context);
            registrar.renew(TIMEOUT);
            awaitMembers(resolver, List.of(MEMBER));
            registrar.renew(TIMEOUT);
            awaitMembers(resolver, List.of(MEMBER));
            registrar.close();
            awaitMembers(resolver, List.of());
        }
    }

    @Test
    void shouldForgetWhoDoesNotRenewAndTakeItBack() throws Exception {
        try (Resolver resolver = provider.resolver(name, context);
                Registrar registrar = provider.registrar(name, MEMBER, context)) {
            registrar.renew(TIMEOUT);
            awaitMembers(resolver, List.of(MEMBER));
            // Nobody renews: as when the process has died.
            awaitMembers(resolver, List.of());
            registrar.renew(TIMEOUT);
            awaitMembers(resolver, List.of(MEMBER));
        }
    }

    @Test
    void shouldGoOnWithAServerThatComesBack() throws Exception {
        try (Resolver resolver = provider.resolver(name, context);
                Registrar registrar = provider.registrar(name, MEMBER, context)) {
            registrar.renew(TIMEOUT);
            awaitMembers(resolver, List.of(MEMBER));
            server.close();
            FairleadException away =
                    assertThrows(FairleadException.class, () -> resolver.resolve(Duration.ofMillis(500)));
            assertTrue(
                    away.reason() == Reason.TIMED_OUT || away.reason() == Reason.CONNECTION_REFUSED, away::getMessage);
            start();
            awaitRenewed(registrar);
            awaitMembers(resolver, List.of(MEMBER));
        }
    }

    private static void awaitRenewed(Registrar registrar) throws InterruptedException {
        for (int i = 0; i < 30; i++) {
            try {
                registrar.renew(Duration.ofSeconds(2));
                return;
            } catch (FairleadException notYet) {
                // Asked again.
            }
        }
        throw new AssertionError("not registered again");
    }

    @Test
    void shouldRegisterANodeUntilItCloses() throws Exception {
        FairleadConfig config = FairleadConfig.defaults().with(NodeKeys.DISCOVERY_LEASE, Duration.ofSeconds(10));
        try (Resolver resolver = provider.resolver(name, context)) {
            Node node = Node.start(config);
            node.register(name.toString(), MEMBER).get(60, TimeUnit.SECONDS);
            awaitMembers(resolver, List.of(MEMBER));
            node.close();
            awaitMembers(resolver, List.of());
        }
    }

    @Test
    void shouldSayWhatIsWrong() {
        for (String malformed : List.of("etcd:feed", "etcd://a/feed", "etcd://a:0/feed", "etcd://a:1/x/")) {
            ServiceName wrong = ServiceName.parse(malformed);
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> provider.resolver(wrong, context), malformed);
            assertTrue(refused.getMessage().contains("; write etcd://"), refused::getMessage);
        }
    }

    @Test
    void shouldLoseNoRequestWhenMembersRestart() {
        List<Throwable> failed = RollingRestart.run(
                RESTARTS,
                FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "tcp"),
                new RollingRestart.Registry() {
                    @Override
                    public void started(int index, Node node, InetSocketAddress address) throws Exception {
                        node.register(name.toString(), Member.of("member-" + index, address))
                                .get(60, TimeUnit.SECONDS);
                    }
                },
                new InetSocketAddress("127.0.0.1", 0),
                new InetSocketAddress("127.0.0.1", 0),
                _ -> name.toString());
        assertEquals(List.of(), failed);
    }
}
