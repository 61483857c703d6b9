package io.fairlead.cli.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetObserver;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.discovery.Member;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.PublisherOptions;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.TopicOptions;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** The lines of states that a command does not come to, and what is left of the application's MDC. */
@Timeout(120)
final class StateLogTest {
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** The handler number of publish-subscribe. */
    private static final int HANDLER = 129;

    private static final long DEADLINE_NS = 60_000_000_000L;
    /** So many that lines for each would show. */
    private static final int ATTEMPTS = 8;

    private static final MessageHandler IGNORE = (topic, sequence, buffer, offset, length) -> {};

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fairlead");
    private final Lines lines = new Lines();
    private final Level level = logger.getLevel();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void leave() {
        logger.detachAppender(lines);
        logger.setAdditive(true);
        logger.setLevel(level);
        System.clearProperty(LoopbackProvider.PROPERTY);
        MDC.clear();
    }

    @Test
    void shouldLogThatAPeerReconnects() throws Exception {
        BlockingQueue<Peer> accepted = new LinkedBlockingQueue<>();
        try (Node server = Node.start(config("server"));
                Node client = Node.start(config("client"))) {
            Listener listener = server.listen(ANY_PORT, accepted::add);
            Peer peer = client.connect(
                            listener.address(),
                            PathPolicy.TCP_ONLY,
                            ReconnectPolicy.afterFailure(Duration.ofMillis(10), Duration.ofMillis(100)))
                    .join();
            CountDownLatch again = new CountDownLatch(1);
            peer.onReconnect(again::countDown);
            accepted.take().abort();
            again.await();

            assertEquals(1, lines.count("client", "failed "), lines::toString);
            assertEquals(1, lines.count("client", "reconnecting to server at "), lines::toString);
            assertEquals(1, lines.count("client", "connected again to server at "), lines::toString);
            assertEquals(2, lines.count("client", "selected tcp "), lines::toString);
            assertEquals(2, lines.count("client", "connected #"), lines::toString);
            ILoggingEvent line = lines.first("client", "reconnecting ");
            assertEquals("#1 to server", line.getMDCPropertyMap().get("endpoint"));
            assertEquals("tcp", line.getMDCPropertyMap().get("transport"));
        }
    }

    @Test
    void shouldWarnOnceForEachOutageOfAMember() throws Exception {
        InetSocketAddress address;
        try (Node gone = Node.start(config("gone"))) {
            address = gone.listen(ANY_PORT, peer -> {}).address();
        }
        BlockingQueue<String> news = new LinkedBlockingQueue<>();
        PeerSetObserver observer = new PeerSetObserver() {
            @Override
            public void connected(Member member, Peer peer) {
                news.add("connected");
            }

            @Override
            public void lost(Member member, FairleadException cause) {
                news.add("lost");
            }
        };
        try (Node client = Node.start(config("client"))) {
            PeerSet set = client.peers(
                            "static:" + Member.text(address),
                            PeerSetOptions.defaults()
                                    .withPauses(Duration.ofMillis(1), Duration.ofMillis(5))
                                    .withObserver(observer))
                    .join();
            awaitLost(news);
            assertEquals(1, lines.count("client", "failed "), lines::toString);
            assertEquals(1, lines.count("client", "member is not connected"), lines::toString);
            assertEquals(
                    Level.WARN, lines.first("client", "member is not connected").getLevel());
            try (Node server = Node.start(config("server"))) {
                server.listen(address, peer -> {});
                String last = news.take();
                while (!last.equals("connected")) {
                    last = news.take();
                }
            }
            awaitLost(news);
            // One for each reason: an attempt may meet the listener while it closes.
            long failed = lines.count("client", "failed ");
            assertTrue(failed >= 2 && failed < ATTEMPTS, lines::toString);
            assertEquals(2, lines.count("client", "member is not connected"), lines::toString);
            set.close();
        }
    }

    /** Waits for that many attempts to fail. */
    private static void awaitLost(BlockingQueue<String> news) throws InterruptedException {
        for (int i = 0; i < ATTEMPTS; i++) {
            assertEquals("lost", news.take());
        }
    }

    @Test
    void shouldLogARefusalOnceOnEachSide() {
        try (Node server = Node.start(config("server"));
                Node client = Node.start(config("client"))) {
            Listener listener = server.listen(ANY_PORT, peer -> {});
            assertThrows(
                    CompletionException.class,
                    () -> client.connect(listener.address(), PathPolicy.REQUIRE_RDMA, ReconnectPolicy.NEVER)
                            .join());
            assertEquals(1, lines.count("server", "refused "), lines::toString);
            assertEquals(1, lines.count("client", "failed "), lines::toString);
            assertEquals(Level.WARN, lines.first("server", "refused ").getLevel());
            assertFalse(lines.first("server", "refused ").getMDCPropertyMap().containsKey("endpoint"));
        }
    }

    @Test
    void shouldWarnOfTcpBetweenProcessesThatHaveMore() {
        System.setProperty(LoopbackProvider.PROPERTY, "true");
        try (Node server = Node.start(config("server").with(ConfigKeys.TRANSPORTS, "tcp,loopback"));
                Node client = Node.start(config("client").with(ConfigKeys.TRANSPORTS, "tcp,loopback"))) {
            Listener listener = server.listen(ANY_PORT, peer -> {});
            Peer peer = client.connect(listener.address(), PathPolicy.TCP_ONLY, ReconnectPolicy.NEVER)
                    .join();
            assertEquals("tcp", peer.path().transport());
            ILoggingEvent line = lines.first("client", "selected ");
            assertEquals(Level.WARN, line.getLevel(), line::toString);
            String reason = ", although loopback is here as well: policy tcp-only of the connector, which gives up"
                    + " memory of one process by loopback";
            assertTrue(line.getFormattedMessage().contains(reason), line::toString);
            assertEquals(
                    Level.WARN,
                    lines.await("server", "selected ", Thread::onSpinWait).getLevel());
        }
    }

    @Test
    void shouldMarkTheLinesOfPublishersAndSubscribers() {
        try (Context publishing = Context.open(config("writer"));
                Context subscribing = Context.open(config("reader"));
                Worker reader = subscribing.newWorker()) {
            Worker writer = publishing.newWorker();
            PublisherOptions one = PublisherOptions.defaults().withConnectionsMax(1);
            Publisher publisher = Publisher.listen(writer, ANY_PORT, one);
            InetSocketAddress address = publisher.address();
            publisher.topic("numbers");
            publisher.topic("long", TopicOptions.defaults().withMessageMax(1000));
            SubscriberOptions patient = SubscriberOptions.defaults()
                    .withReconnect(ReconnectPolicy.always(Duration.ofMillis(1), Duration.ofMillis(5))
                            .attemptsAtMost(3));
            try (Subscriber subscriber = Subscriber.connect(reader, address, patient)) {
                Runnable turn = () -> {
                    writer.progress();
                    reader.progress();
                };
                subscriber.subscribe("numbers", IGNORE);
                SubscriptionOptions small = SubscriptionOptions.defaults().withMessageMax(999);
                subscriber.subscribe("long", small, IGNORE, SubscriptionEvents.NONE);
                assertMarked(lines.await("writer", "refused a subscriber: ", turn), "#1 to reader");

                Endpoint malformed = reader.connect(address, EndpointHandler.NONE);
                assertMarked(lines.await("writer", "closed a subscriber's connection: ", turn), "#2 to reader");
                malformed.abort();
                MemorySegment nothing = Arena.ofAuto().allocate(8);
                writer.close();
                assertMarked(lines.await("reader", "reconnecting to ", reader::progress), "#1 to writer");
                ILoggingEvent last = lines.await("reader", "gave up a publisher: ", reader::progress);
                assertTrue(last.getMDCPropertyMap().get("endpoint").startsWith("#"), last::toString);

                Worker again = publishing.newWorker();
                again.listen(address, new EndpointHandler() {
                    @Override
                    public void connected(Endpoint endpoint) {
                        // No message of a publisher.
                        assertTrue(endpoint.sendActive(HANDLER, nothing, nothing, _ -> {}) > 0);
                    }
                });
                subscriber.subscribe("numbers", IGNORE);
                Runnable both = () -> {
                    again.progress();
                    reader.progress();
                };
                lines.await("reader", "connected again to ", both);
                ILoggingEvent violation = lines.await("reader", "publisher sent a malformed message: ", both);
                assertEquals("tcp", violation.getMDCPropertyMap().get("transport"));
                again.close();
            }
        }
    }

    private static void assertMarked(ILoggingEvent line, String endpoint) {
        assertEquals(endpoint, line.getMDCPropertyMap().get("endpoint"), line::toString);
        assertEquals("tcp", line.getMDCPropertyMap().get("transport"), line::toString);
    }

    @Test
    void shouldGiveTheApplicationItsMdcBack() {
        Map<String, String> own = Map.of("node", "the application's", "request", "7");
        MDC.setContextMap(own);
        try (Context context = Context.open(config("both"));
                Worker worker = context.newWorker()) {
            Listener listener = worker.listen(ANY_PORT, EndpointHandler.NONE);
            Endpoint endpoint = worker.connect(listener.address(), EndpointHandler.NONE);
            while (endpoint.state() == EndpointState.CONNECTING) {
                worker.progress();
            }
            endpoint.close();
            assertEquals(own, MDC.getCopyOfContextMap());
            assertEquals(1, lines.count("both", "closing #"), lines::toString);
        }
        assertEquals(own, MDC.getCopyOfContextMap());
        // The thread's other keys stay with the line.
        assertEquals("7", lines.first("both", "connected ").getMDCPropertyMap().get("request"));
    }

    private static FairleadConfig config(String name) {
        return FairleadConfig.defaults().with(ConfigKeys.NODE_NAME, name).with(ConfigKeys.TRANSPORTS, "tcp");
    }

    /** What was logged, by any thread. */
    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            event.prepareForDeferredProcessing();
            events.add(event);
        }

        long count(String node, String beginning) {
            return events.stream()
                    .filter(event -> matches(event, node, beginning))
                    .count();
        }

        ILoggingEvent first(String node, String beginning) {
            return events.stream()
                    .filter(event -> matches(event, node, beginning))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no line " + beginning + " of " + node + " in " + this));
        }

        /** Makes progress until there is such a line. */
        ILoggingEvent await(String node, String beginning, Runnable turn) {
            long startNs = System.nanoTime();
            while (count(node, beginning) == 0 && System.nanoTime() - startNs < DEADLINE_NS) {
                turn.run();
            }
            return first(node, beginning);
        }

        private static boolean matches(ILoggingEvent event, String node, String beginning) {
            return node.equals(event.getMDCPropertyMap().get("node"))
                    && event.getFormattedMessage().startsWith(beginning);
        }

        @Override
        public String toString() {
            return events.stream()
                    .map(event -> event.getMDCPropertyMap() + " " + event.getFormattedMessage())
                    .toList()
                    .toString();
        }
    }
}
