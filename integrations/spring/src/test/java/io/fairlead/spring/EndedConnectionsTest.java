package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.discovery.Member;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.servicetest.MemoryRegistry;
import io.fairlead.testkit.contract.LiveObjects;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** An application with a listener and a publisher keeps nothing of connections that have ended, whichever side has made them. */
final class EndedConnectionsTest {
    private static final int CONNECTIONS = 100;
    private static final Duration PAUSE = Duration.ofMillis(5);
    private static final String FEED = "ended-connections";
    private static final byte[] MESSAGE = "1".getBytes(StandardCharsets.UTF_8);

    @AfterEach
    void forgetTheFeed() {
        MemoryRegistry.forget(FEED);
    }

    static final class Heard {
        private final AtomicLong length = new AtomicLong();

        @FairleadListener(topic = "prices", id = "heard")
        void take(String message) {
            length.addAndGet(message.length());
        }
    }

    private static FairleadConfig config(String transport) {
        return FairleadConfig.defaults().with(ConfigKeys.POLICY, PathPolicy.named(transport));
    }

    /** What connects to an application, and what the application connects to. */
    private static final class Rounds {
        private final FairleadConfig config;
        private final FairleadListenerContainer listener;
        private final Heard heard;
        private final NodePublisher published;
        private final NodeTopic topic;

        Rounds(FairleadConfig config, ApplicationContext application) {
            this.config = config;
            listener = application.getBean(FairleadListeners.class).containers().getFirst();
            heard = application.getBean(Heard.class);
            published = application.getBean(NodePublisher.class);
            topic = published.topic("orders").join();
        }

        /** A fresh node connects to the application's publisher, and the application's listener to a publisher of that node, which then closes. */
        void round() {
            try (Node fresh = Node.start(config)) {
                subscribe(fresh);
                publish(fresh);
            }
            Await.until("the listener has lost the publisher", () -> listener.state() == SubscriptionState.WAITING);
            Await.until(
                    "the subscriber is gone",
                    () -> published.subscribers().join().isEmpty());
        }

        /** The listener connects to a publisher, hears a message, and loses the publisher. */
        private void publish(Node node) {
            try (NodePublisher publisher = NodePublisher.listen(node, Addresses.resolved("127.0.0.1:0"))
                    .join()) {
                NodeTopic prices = publisher.topic("prices").join();
                MemoryRegistry.set(FEED, List.of(Member.at(publisher.address())));
                Await.until("the listener is live", () -> listener.state() == SubscriptionState.LIVE);
                long before = heard.length.get();
                prices.publish(MESSAGE).join();
                Await.until("heard", () -> heard.length.get() == before + 1);
            }
        }

        /** A node connects to the application's publisher, gets a message, and closes. */
        private void subscribe(Node node) {
            AtomicLong received = new AtomicLong();
            try (NodeSubscriber subscriber =
                    NodeSubscriber.connect(node, published.address()).join()) {
                Subscription subscription = subscriber
                        .subscribe("orders", (_, _, buffer, offset, _) -> received.set(first(buffer, offset)))
                        .join();
                Await.until("the subscriber is live", () -> subscription.state() == SubscriptionState.LIVE);
                topic.publish(MESSAGE).join();
                Await.until("received", () -> received.get() == MESSAGE[0]);
            }
        }

        private static byte first(MemorySegment buffer, long offset) {
            return buffer.get(ValueLayout.JAVA_BYTE, offset);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void shouldKeepNothingOfConnectionsThatEnded(String transport) {
        MemoryRegistry.set(FEED, List.of());
        SubscriberOptions options = SubscriberOptions.defaults().withReconnect(ReconnectPolicy.always(PAUSE, PAUSE));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(FairleadAutoConfiguration.class))
                .withBean(Heard.class)
                .withBean(SubscriberOptions.class, () -> options)
                .withPropertyValues(
                        "fairlead.policy=" + transport,
                        "fairlead.node.discovery-refresh-min=10ms",
                        "fairlead.spring.publisher.address=127.0.0.1:0",
                        "fairlead.spring.subscriber.address=memory:" + FEED)
                .run(application -> {
                    Rounds rounds = new Rounds(config(transport), application);
                    LiveObjects.assertNothingLeftOf(CONNECTIONS, rounds::round);
                    assertEquals(0, rounds.listener.failures());
                });
    }
}
