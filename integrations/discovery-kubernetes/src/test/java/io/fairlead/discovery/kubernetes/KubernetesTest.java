package io.fairlead.discovery.kubernetes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.server.mock.KubernetesMixedDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.fabric8.mockwebserver.ServerRequest;
import io.fabric8.mockwebserver.ServerResponse;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Member;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import io.fairlead.testkit.layers.discovery.RollingRestart;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** EndpointSlices that the client's own mock of an API server has. */
@Timeout(300)
final class KubernetesTest {
    private static final int RESTARTS = Integer.getInteger("fairlead.test.restarts", 10);
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    /** Now and then the mock server's answer is lost; whoever asks asks again. */
    private static final int ATTEMPTS = 30;

    private static final ServiceName NAME = ServiceName.parse("k8s:feed.prod:fairlead");

    private final KubernetesMockServer server = startServer();
    private final KubernetesClient client = server.createClient();
    private final Semaphore changes = new Semaphore(0);
    private final DiscoveryContext context =
            new DiscoveryContext(FairleadConfig.defaults(), Duration.ofSeconds(10), changes::release);
    private final KubernetesProvider provider = new KubernetesProvider();

    /** By hand: the extension that the server comes with fails a test whose server takes more than 10 s to start or to close. */
    private static KubernetesMockServer startServer() {
        for (int attempt = 1; ; attempt++) {
            Map<ServerRequest, Queue<ServerResponse>> answers = new HashMap<>();
            KubernetesMockServer server = new KubernetesMockServer(
                    new Context(), new MockWebServer(), answers, new KubernetesMixedDispatcher(answers), false);
            try {
                server.init();
                return server;
            } catch (IllegalStateException slow) {
                if (attempt == ATTEMPTS) {
                    throw slow;
                }
            }
        }
    }

    @AfterEach
    void closeTheServer() {
        // The client first, so that no connection of its keeps the server from closing.
        client.close();
        try {
            server.destroy();
        } catch (IllegalStateException slow) {
            // It waits 10 s for itself. Its event loop may stand still as long, waiting for the threads of watches that
            // were closed. No later test uses its port.
        }
    }

    @BeforeEach
    void nameTheServer() {
        System.setProperty("kubernetes.master", client.getConfiguration().getMasterUrl());
        // Over HTTP/2 an answer that the mock server had written was not read, once in many runs.
        System.setProperty("http2.disable", "true");
    }

    @AfterEach
    void forgetTheServer() {
        System.clearProperty("kubernetes.master");
        System.clearProperty("http2.disable");
    }

    private static EndpointSlice slice(String name, String service, String address, boolean ready) {
        return new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("prod")
                .addToLabels("kubernetes.io/service-name", service)
                .endMetadata()
                .withAddressType("IPv4")
                .addNewPort()
                .withName("fairlead")
                .withPort(7400)
                .endPort()
                .addNewEndpoint()
                .withAddresses(address)
                .withNewConditions()
                .withReady(ready)
                .endConditions()
                .withNewTargetRef()
                .withName(name + "-pod")
                .endTargetRef()
                .endEndpoint()
                .build();
    }

    private void awaitMembers(Resolver resolver, List<String> wanted) throws InterruptedException {
        List<String> found = texts(resolver);
        while (!found.equals(wanted)) {
            assertTrue(changes.tryAcquire(60, TimeUnit.SECONDS), "no change was told, members=" + found);
            found = texts(resolver);
        }
    }

    private static List<String> texts(Resolver resolver) throws InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return resolver.resolve(TIMEOUT).members().stream()
                        .map(Member::toString)
                        .sorted()
                        .toList();
            } catch (FairleadException lost) {
                if (attempt == ATTEMPTS) {
                    throw lost;
                }
            }
        }
    }

    @Test
    void shouldFollowTheReadyEndpoints() throws Exception {
        try (Resolver resolver = provider.resolver(NAME, context)) {
            awaitMembers(resolver, List.of());
            client.resource(slice("a", "feed", "10.0.0.1", true)).create();
            client.resource(slice("other", "cache", "10.0.0.9", true)).create();
            awaitMembers(resolver, List.of("a-pod at 10.0.0.1:7400"));
            client.resource(slice("b", "feed", "10.0.0.2", false)).create();
            awaitMembers(resolver, List.of("a-pod at 10.0.0.1:7400"));
            client.resource(slice("b", "feed", "10.0.0.2", true)).update();
            awaitMembers(resolver, List.of("a-pod at 10.0.0.1:7400", "b-pod at 10.0.0.2:7400"));
            client.resource(slice("a", "feed", "10.0.0.1", true)).delete();
            awaitMembers(resolver, List.of("b-pod at 10.0.0.2:7400"));
        }
        try (Resolver byNumber = provider.resolver(ServiceName.parse("k8s:feed.prod:7500"), context)) {
            assertEquals(List.of("b-pod at 10.0.0.2:7500"), texts(byNumber));
        }
        try (Resolver noSuchPort = provider.resolver(ServiceName.parse("k8s:feed.prod:http"), context)) {
            assertEquals(List.of(), texts(noSuchPort));
        }
    }

    @Test
    void shouldSayWhatIsWrong() {
        for (String malformed : List.of("k8s:feed", "k8s:feed:0", "k8s:a.b.c:1", "k8s:Feed:1", "k8s://api:1/feed:1")) {
            ServiceName wrong = ServiceName.parse(malformed);
            IllegalArgumentException refused =
                    assertThrows(IllegalArgumentException.class, () -> provider.resolver(wrong, context), malformed);
            assertTrue(refused.getMessage().contains("; write k8s:"), refused::getMessage);
        }
        System.setProperty("kubernetes.master", "http://127.0.0.1:1");
        Resolver nobody = provider.resolver(NAME, context);
        FairleadException refused = assertThrows(FairleadException.class, () -> nobody.resolve(TIMEOUT));
        assertEquals(Reason.CONNECTION_REFUSED, refused.reason());
        nobody.close();
    }

    /** A pod is ready while its member accepts connections, and callers see the change at some time. */
    @Test
    void shouldLoseNoRequestWhenMembersRestart() throws Exception {
        int port = freePort();
        RollingRestart.Registry slices = new RollingRestart.Registry() {
            @Override
            public void started(int index, Node node, InetSocketAddress address) {
                client.resource(pod(index, address, true)).createOr(NonDeletingOperation::update);
            }

            @Override
            public void closing(int index, InetSocketAddress address) {
                client.resource(pod(index, address, false)).createOr(NonDeletingOperation::update);
            }
        };
        List<Throwable> failed = RollingRestart.run(
                RESTARTS,
                FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, "tcp"),
                slices,
                new InetSocketAddress("127.0.0.1", port),
                new InetSocketAddress("127.0.0.2", port),
                _ -> "k8s:restarts.prod:" + port);
        assertEquals(List.of(), failed);
    }

    private static EndpointSlice pod(int index, InetSocketAddress address, boolean ready) {
        return slice("pod-" + index, "restarts", address.getAddress().getHostAddress(), ready);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
