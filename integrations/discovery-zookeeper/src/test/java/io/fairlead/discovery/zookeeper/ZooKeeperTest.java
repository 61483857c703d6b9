package io.fairlead.discovery.zookeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Registrar;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Services that a real ZooKeeper server knows, which the test starts and ends in this process. */
@Timeout(120)
final class ZooKeeperTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Member MEMBER = Member.of("a pod", new InetSocketAddress("127.0.0.1", 7400));

    private final Semaphore changes = new Semaphore(0);
    private final DiscoveryContext context =
            new DiscoveryContext(FairleadConfig.defaults(), Duration.ofSeconds(2), changes::release);
    private final ZooKeeperProvider provider = new ZooKeeperProvider();
    private TestingServer server;
    private ServiceName name;

    @BeforeEach
    void startServer() throws Exception {
        server = new TestingServer(true);
        name = ServiceName.parse("zk://127.0.0.1:" + server.getPort() + "/services/feed");
    }

    @AfterEach
    void endServer() throws Exception {
        server.close();
    }

    /** Asks after each change, until the answer is as wanted. */
    private void awaitMembers(Resolver resolver, List<Member> wanted) throws InterruptedException {
        List<Member> found = resolver.resolve(TIMEOUT).members();
        while (!found.equals(wanted)) {
            assertTrue(changes.tryAcquire(60, TimeUnit.SECONDS), "no change was told, members=" + found);
            try {
                found = resolver.resolve(TIMEOUT).members();
            } catch (FairleadException whileTheServerIsAway) {
                assertEquals(Reason.TIMED_OUT, whileTheServerIsAway.reason());
            }
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
    void shouldRegisterAgainWithAServerThatHasForgotten() throws Exception {
        try (Registrar registrar = provider.registrar(name, MEMBER, context);
                Resolver resolver = provider.resolver(name, context)) {
            registrar.renew(TIMEOUT);
            awaitMembers(resolver, List.of(MEMBER));
            int port = server.getPort();
            server.close();
            assertEquals(
                    Reason.TIMED_OUT,
                    assertThrows(FairleadException.class, () -> resolver.resolve(Duration.ofMillis(500)))
                            .reason());
            // Another folder: nothing of before is known there.
            server = new TestingServer(port, true);
            awaitRenewed(registrar);
            awaitMembers(resolver, List.of(MEMBER));
        }
    }

    private void awaitRenewed(Registrar registrar) throws InterruptedException {
        for (int i = 0; i < 60; i++) {
            try {
                registrar.renew(Duration.ofSeconds(2));
                return;
            } catch (FairleadException notYet) {
                assertTrue(changes.tryAcquire(60, TimeUnit.SECONDS), "no change was told");
            }
        }
        throw new AssertionError("not registered again");
    }

    @Test
    void shouldRegisterANodeUntilItCloses() throws Exception {
        FairleadConfig config = FairleadConfig.defaults()
                .with(NodeKeys.DISCOVERY_LEASE, Duration.ofSeconds(2))
                .with(NodeKeys.DISCOVERY_TIMEOUT, Duration.ofSeconds(10));
        try (Resolver resolver = provider.resolver(name, context)) {
            Node node = Node.start(config);
            Registration registration = node.register(name.toString(), MEMBER).get(60, TimeUnit.SECONDS);
            assertTrue(registration.failure().isEmpty());
            awaitMembers(resolver, List.of(MEMBER));
            node.close();
            awaitMembers(resolver, List.of());
        }
        awaitNoThreads();
    }

    /** The client's threads have names of their own; the server's, in this process too, have others. */
    private static void awaitNoThreads() throws InterruptedException {
        for (int i = 0; i < 600; i++) {
            List<Thread> left = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().matches(".*(SendThread|-EventThread|Curator|fairlead-).*"))
                    .toList();
            if (left.isEmpty()) {
                return;
            }
            left.getFirst().join(100);
        }
        throw new AssertionError(
                "threads are left: " + Thread.getAllStackTraces().keySet());
    }

    @Test
    void shouldSayWhatIsWrong() throws Exception {
        for (String malformed : List.of("zk:feed", "zk://a/feed", "zk://a:1/x//y", "zk://a:1/x/", "zk://a:1/../x")) {
            ServiceName wrong = ServiceName.parse(malformed);
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> provider.resolver(wrong, context), malformed);
            assertTrue(refused.getMessage().contains("; write zk://"), refused::getMessage);
        }
        server.close();
        FairleadConfig config = FairleadConfig.defaults().with(NodeKeys.DISCOVERY_TIMEOUT, Duration.ofMillis(300));
        try (Node node = Node.start(config)) {
            ExecutionException failed = assertThrows(
                    ExecutionException.class, () -> node.peers(name.toString()).get(60, TimeUnit.SECONDS));
            FairleadException cause = (FairleadException) failed.getCause();
            assertEquals(Reason.TIMED_OUT, cause.reason());
            assertTrue(cause.getMessage().contains(name.toString()), cause::getMessage);
        }
    }
}
