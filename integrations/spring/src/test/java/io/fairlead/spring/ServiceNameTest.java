package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriptionState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Peers, the subscriber and listeners are found by name: where there is more than one they go to the next, and a host need not resolve yet. */
@Timeout(120)
final class ServiceNameTest {
    private static final String NOWHERE = "fairlead-nowhere.invalid:7400";

    private final Node first = Node.start(FairleadConfig.defaults());
    private final Node second = Node.start(FairleadConfig.defaults());
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(FairleadAutoConfiguration.class));

    @AfterEach
    void closeNodes() {
        first.close();
        second.close();
    }

    static final class Prices {
        final List<String> received = new CopyOnWriteArrayList<>();

        @FairleadListener(topic = "prices", id = "prices")
        void take(String message) {
            received.add(message);
        }
    }

    private static NodePublisher publisher(Node node) {
        return NodePublisher.listen(node, Addresses.resolved("127.0.0.1:0")).join();
    }

    private static String names(int... ports) {
        StringBuilder name = new StringBuilder("static:");
        for (int port : ports) {
            name.append(name.length() == 7 ? "" : ",").append("127.0.0.1:").append(port);
        }
        return name.toString();
    }

    private static void publishUntilReceived(NodeTopic topic, String message, Prices prices) {
        Await.until("received " + message, () -> {
            topic.publish(message.getBytes(StandardCharsets.UTF_8)).join();
            return prices.received.contains(message);
        });
    }

    @Test
    void shouldHaveAListenerGoToTheNextMemberOfAName() {
        NodePublisher old = publisher(first);
        NodePublisher young = publisher(second);
        NodeTopic oldTopic = old.topic("prices").join();
        runner.withBean(Prices.class)
                .withPropertyValues("fairlead.spring.subscriber.address="
                        + names(old.address().getPort(), young.address().getPort()))
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    publishUntilReceived(oldTopic, "of the first", prices);
                    first.close();
                    // The topic is made late, when the listener has been refused.
                    Await.until(
                            "lost",
                            () -> context.getBean(FairleadListeners.class)
                                            .containers()
                                            .getFirst()
                                            .state()
                                    == SubscriptionState.WAITING);
                    publishUntilReceived(young.topic("prices").join(), "of the second", prices);
                });
    }

    @Test
    void shouldHaveAPeerGoToTheNextMemberOfAName() {
        List<Peer> accepted = new CopyOnWriteArrayList<>();
        Listener old = first.listen(Addresses.resolved("127.0.0.1:0"), _ -> {});
        Listener young = second.listen(Addresses.resolved("127.0.0.1:0"), accepted::add);
        runner.withPropertyValues("fairlead.spring.peers=feed="
                        + names(old.address().getPort(), young.address().getPort()))
                .run(context -> {
                    FairleadPeers peers = context.getBean(FairleadPeers.class);
                    Await.until("connected", () -> peers.state("feed") == EndpointState.CONNECTED);
                    assertTrue(accepted.isEmpty());
                    first.close();
                    Await.until("connected to the second", () -> !accepted.isEmpty());
                    Await.until("connected again", () -> peers.state("feed") == EndpointState.CONNECTED);
                    assertEquals(
                            young.address().getPort(),
                            peers.peer("feed").remoteAddress().getPort());
                });
    }

    @Test
    void shouldStartThoughAHostDoesNotResolveYet() {
        runner.withBean(Prices.class)
                .withPropertyValues(
                        "fairlead.spring.subscriber.address=" + NOWHERE, "fairlead.spring.peers=feed=" + NOWHERE)
                .run(context -> {
                    assertNull(context.getStartupFailure());
                    assertEquals(
                            SubscriptionState.WAITING,
                            context.getBean(FairleadListeners.class)
                                    .containers()
                                    .getFirst()
                                    .state());
                    assertEquals(
                            EndpointState.CONNECTING,
                            context.getBean(FairleadPeers.class).state("feed"));
                    assertEquals(0, context.getBean(NodeSubscriber.class).reconnects());
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"fairlead.spring.subscriber.address=pigeon:x", "fairlead.spring.peers=feed=pigeon:x"})
    void shouldEndTheStartWithANameThatNobodyResolves(String property) {
        runner.withPropertyValues(property).run(context -> {
            Throwable failure = context.getStartupFailure();
            assertTrue(failure != null, "it has started");
            String description = new FairleadFailureAnalyzer().analyze(failure).getDescription();
            assertTrue(description.contains("no resolver for this scheme: name=pigeon:x"), description);
        });
    }

    @Test
    void shouldReadNamesInPlaceOfAddresses() {
        assertEquals("static:feed:7400", Addresses.service(" feed:7400 "));
        assertEquals("static:[::1]:7400", Addresses.service("[::1]:7400"));
        for (String name : List.of(
                "dns:feed.prod:7400",
                "dns:_feed._tcp.prod",
                "static:a:1,b:1",
                "zk://a:2181,b:2181/x",
                "k8s:feed:7400")) {
            assertEquals(name, Addresses.service(name));
        }
        for (String wrong : List.of("feed", "7400", ":7400", "::1:7400", "127.0.0.1:x", "")) {
            assertThrows(IllegalArgumentException.class, () -> Addresses.service(wrong), wrong);
        }
        assertEquals(
                Map.of("a", "h:1", "b", "zk://x:2181,y:2181/feed", "c", "dns:h:1"),
                Addresses.named("a=h:1, b=zk://x:2181,y:2181/feed,c=dns:h:1,"));
    }
}
