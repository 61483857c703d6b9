package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Health follows peers, also those that are beans, and tells their states and nothing that somebody could use. */
@Timeout(120)
final class HealthTest {
    private static final String PEERS = "fairlead.spring.peers=feed=127.0.0.1:";

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(FairleadAutoConfiguration.class, FairleadHealthAutoConfiguration.class));

    private static Health health(ApplicationContext context) {
        return context.getBean(FairleadHealthIndicator.class).health();
    }

    @Test
    void shouldBeUpWithoutPeersAndDownWhenTheNodeIsClosed() {
        runner.run(context -> {
            assertEquals(Status.UP, health(context).getStatus());
            assertEquals("open", health(context).getDetails().get("node"));
            context.getBean(Node.class).close();
            assertEquals(Status.DOWN, health(context).getStatus());
            assertEquals("closed", health(context).getDetails().get("node"));
        });
    }

    @Test
    void shouldBeDownUntilAPeerIsConnectedAndAgainWhenItIsLost() {
        List<Peer> accepted = new CopyOnWriteArrayList<>();
        try (Node feed = Node.start(FairleadConfig.defaults())) {
            Listener first = feed.listen(Addresses.resolved("127.0.0.1:0"), accepted::add);
            int port = first.address().getPort();
            first.close();
            runner.withPropertyValues(PEERS + port).run(context -> {
                FairleadPeers peers = context.getBean(FairleadPeers.class);
                assertEquals(EndpointState.CONNECTING, peers.state("feed"));
                assertEquals(Status.DOWN, health(context).getStatus());
                FairleadException early = assertThrows(FairleadException.class, () -> peers.peer("feed"));
                assertEquals(FairleadException.Reason.NOT_CONNECTED, early.reason());
                assertThrows(IllegalArgumentException.class, () -> peers.peer("other"));

                Listener listener = feed.listen(Addresses.resolved("127.0.0.1:" + port), accepted::add);
                Await.until("up", () -> health(context).getStatus().equals(Status.UP));
                String details = health(context).getDetails().toString();
                assertTrue(details.contains("feed=connected by "), details);
                assertFalse(details.contains("127.0.0.1") || details.contains(Integer.toString(port)), details);

                // The asking side may be connected a moment before the listener tells the accepting one.
                Await.until("accepted", () -> !accepted.isEmpty());
                listener.close();
                accepted.forEach(Peer::abort);
                Await.until("down", () -> health(context).getStatus().equals(Status.DOWN));
                feed.listen(Addresses.resolved("127.0.0.1:" + port), accepted::add);
                Await.until("up again", () -> health(context).getStatus().equals(Status.UP));
                assertEquals(EndpointState.CONNECTED, peers.peer("feed").state());
            });
        }
    }

    @Test
    void shouldAskPeersThatAreBeansToo() {
        try (Node feed = Node.start(FairleadConfig.defaults())) {
            Listener listener = feed.listen(Addresses.resolved("127.0.0.1:0"), _ -> {});
            Peer peer = feed.connect(listener.address()).join();
            runner.withBean("own", Peer.class, () -> peer).run(context -> {
                assertEquals(Status.UP, health(context).getStatus());
                peer.close();
                assertEquals(Status.DOWN, health(context).getStatus());
                assertTrue(health(context).getDetails().toString().contains("own=closed"));
            });
        }
    }
}
