package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.testkit.contract.LiveObjects;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Methods with {@link FairleadListener} are called with the messages of their topic, whatever they do with them. */
@Timeout(120)
final class ListenerTest {
    private final Node feed = Node.start(FairleadConfig.defaults());
    private final NodePublisher publisher =
            NodePublisher.listen(feed, Addresses.resolved("127.0.0.1:0")).join();
    private final NodeTopic topic = publisher.topic("prices").join();

    @AfterEach
    void closeTheFeed() {
        feed.close();
    }

    private ApplicationContextRunner runner() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        FairleadAutoConfiguration.class, FairleadObservationAutoConfiguration.class))
                .withPropertyValues("fairlead.spring.subscriber.address=127.0.0.1:"
                        + publisher.address().getPort());
    }

    private static List<FairleadListenerContainer> live(ApplicationContext context) {
        List<FairleadListenerContainer> containers =
                context.getBean(FairleadListeners.class).containers();
        Await.until(
                "listeners are live",
                () -> containers.stream().allMatch(container -> container.state() == SubscriptionState.LIVE));
        return containers;
    }

    private void publish(String text) {
        topic.publish(text.getBytes(StandardCharsets.UTF_8)).join();
    }

    static final class EveryType {
        final List<String> heard = new CopyOnWriteArrayList<>();

        @FairleadListener(topic = "prices")
        void bytes(byte[] message) {
            heard.add("bytes " + new String(message, StandardCharsets.UTF_8));
        }

        @FairleadListener(topic = "${topic.name}", id = "text")
        void text(String message) {
            heard.add("text " + message);
        }

        @FairleadListener(topic = "prices")
        void segment(MemorySegment message) {
            heard.add("segment " + new String(message.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8));
        }

        @FairleadListener(topic = "prices")
        void message(TopicMessage message) {
            heard.add("message " + message.topic() + message.sequence() + message.text());
        }

        @FairleadListener(topic = "prices")
        void converted(Integer length) {
            heard.add("converted " + length);
        }
    }

    static final class Length implements PayloadConverter {
        @Override
        public boolean supports(Type type) {
            return type == Integer.class;
        }

        @Override
        public Object convert(TopicMessage message, Type type) {
            return message.bytes().length;
        }
    }

    @Test
    void shouldHandOverEveryTypeOfPayload() {
        runner().withBean("every", EveryType.class)
                .withBean(Length.class)
                .withPropertyValues("topic.name=prices")
                .run(context -> {
                    List<FairleadListenerContainer> containers = live(context);
                    assertEquals(5, containers.size());
                    assertTrue(containers.stream()
                            .map(FairleadListenerContainer::id)
                            .toList()
                            .containsAll(List.of("text", "every.bytes", "every.message")));
                    publish("12");
                    EveryType every = context.getBean(EveryType.class);
                    Await.until("all five", () -> every.heard.size() == 5);
                    assertEquals(
                            List.of("bytes 12", "converted 2", "message prices112", "segment 12", "text 12"),
                            every.heard.stream().sorted().toList());
                });
    }

    static final class Failing {
        final List<String> heard = new CopyOnWriteArrayList<>();

        @FairleadListener(topic = "prices", id = "failing")
        void take(String message) throws Exception {
            heard.add(message);
            switch (message) {
                case "1" -> throw new Exception("checked");
                case "2" -> throw new StackOverflowError("deep");
                case "3" -> Thread.currentThread().interrupt();
                default -> {
                    // All is well.
                }
            }
        }
    }

    @Test
    void shouldGoOnBehindAMessageThatTheListenerFailsAtAndObserveThat() {
        ObservationRegistry registry = ObservationRegistry.create();
        List<String> observed = new CopyOnWriteArrayList<>();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStop(Observation.Context context) {
                Throwable error = context.getError();
                observed.add(context.getName() + " " + context.getContextualName() + " "
                        + (error == null ? "ok" : error.getMessage()));
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return context.getName().equals("fairlead.listener");
            }
        });
        runner().withBean(Failing.class)
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> {
                    FairleadListenerContainer container = live(context).getFirst();
                    for (int i = 1; i <= 4; i++) {
                        publish(Integer.toString(i));
                    }
                    Await.until("all", () -> container.handled() == 4 && observed.size() == 4);
                    assertEquals(List.of("1", "2", "3", "4"), context.getBean(Failing.class).heard);
                    assertEquals(2, container.failures());
                    assertEquals(
                            List.of("checked", "deep", "ok", "ok"),
                            observed.stream()
                                    .map(text -> text.replace("fairlead.listener listen prices ", ""))
                                    .toList());
                });
    }

    static final class Slow {
        final CountDownLatch go = new CountDownLatch(1);
        final List<Integer> heard = new CopyOnWriteArrayList<>();
        volatile boolean virtual;

        @FairleadListener(topic = "prices", id = "slow")
        void take(String message) throws InterruptedException {
            virtual = Thread.currentThread().isVirtual();
            assertTrue(go.await(60, TimeUnit.SECONDS));
            heard.add(Integer.parseInt(message));
        }
    }

    @Test
    void shouldTakeNoMoreThanItsQueueHoldsAndLoseNothingForThat() {
        int count = 4000;
        runner().withBean(Slow.class)
                .withPropertyValues("fairlead.spring.listener.queue-max=7")
                .run(context -> {
                    FairleadListenerContainer container = live(context).getFirst();
                    CompletableFuture<?>[] published = IntStream.range(0, count)
                            .mapToObj(i -> topic.publish(Integer.toString(i).getBytes(StandardCharsets.UTF_8)))
                            .toArray(CompletableFuture[]::new);
                    CompletableFuture.allOf(published).join();
                    // One is in the method's hands, and may have been taken before or after the queue was full.
                    Await.until("the queue is full", () -> container.waiting() >= 6 && container.handled() == 1);
                    assertTrue(container.waiting() <= 7, () -> "waiting=" + container.waiting());
                    Slow slow = context.getBean(Slow.class);
                    slow.go.countDown();
                    Await.until("all are heard", () -> slow.heard.size() == count);
                    assertEquals(IntStream.range(0, count).boxed().toList(), slow.heard);
                    assertEquals(0, container.failures());
                    assertFalse(slow.virtual);
                });
    }

    static final class Parallel {
        final CountDownLatch both = new CountDownLatch(2);

        @FairleadListener(topic = "prices", concurrency = 2)
        void take(byte[] message) throws InterruptedException {
            both.countDown();
            assertTrue(both.await(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void shouldCallAtOnceFromAsManyThreadsAsItIsTold() {
        runner().withBean(Parallel.class).run(context -> {
            FairleadListenerContainer container = live(context).getFirst();
            publish("1");
            publish("2");
            CountDownLatch both = context.getBean(Parallel.class).both;
            Await.until("both", () -> container.handled() == 2 && both.getCount() == 0);
            assertEquals(0, container.failures());
        });
    }

    @Test
    void shouldRunOnVirtualThreadsWhereTheApplicationDoes() {
        runner().withBean(Slow.class)
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> {
                    live(context);
                    Slow slow = context.getBean(Slow.class);
                    slow.go.countDown();
                    publish("1");
                    Await.until("heard", () -> !slow.heard.isEmpty());
                    assertTrue(slow.virtual);
                });
    }

    @Test
    void shouldHandleWhatWaitsBeforeItStopsAndListenAgainAfterAStart() {
        runner().withBean(Slow.class).run(context -> {
            FairleadListenerContainer container = live(context).getFirst();
            for (int i = 0; i < 10; i++) {
                publish(Integer.toString(i));
            }
            Await.until("arrived", () -> container.waiting() == 9);
            Slow slow = context.getBean(Slow.class);
            slow.go.countDown();
            FairleadListeners listeners = context.getBean(FairleadListeners.class);
            listeners.stop();
            assertEquals(10, slow.heard.size());
            assertEquals(SubscriptionState.CLOSED, container.state());
            assertFalse(listeners.isRunning());

            listeners.start();
            live(context);
            publish("10");
            Await.until("heard again", () -> slow.heard.size() == 11);
        });
    }

    static final class Counting {
        final AtomicInteger heard = new AtomicInteger();

        @FairleadListener(topic = "prices")
        void take(String message) {
            heard.addAndGet(message.length());
        }
    }

    @Test
    void shouldKeepNothingOfListenersThatWereStopped() {
        runner().withBean(Counting.class).run(context -> {
            live(context);
            FairleadListeners listeners = context.getBean(FairleadListeners.class);
            AtomicInteger heard = context.getBean(Counting.class).heard;
            LiveObjects.assertNothingLeftOf(200, () -> {
                listeners.stop();
                listeners.start();
                live(context);
                heard.set(0);
                publish("1");
                Await.until("heard", () -> heard.get() == 1);
            });
        });
    }

    static final class TwoParameters {
        @FairleadListener(topic = "prices")
        void take(String message, String other) {
            throw new AssertionError(message + other);
        }
    }

    static final class UnknownType {
        @FairleadListener(topic = "prices")
        void take(List<String> message) {
            throw new AssertionError(message);
        }
    }

    static final class TooManyThreads {
        @FairleadListener(topic = "prices", concurrency = 257)
        void take(String message) {
            throw new AssertionError(message);
        }
    }

    static final class WrongAddress {
        @FairleadListener(topic = "prices", address = "nowhere")
        void take(String message) {
            throw new AssertionError(message);
        }
    }

    @Test
    void shouldRefuseListenersThatCannotWork() {
        assertRefused(runner().withBean("bad", TwoParameters.class), "listener needs one parameter");
        assertRefused(
                runner().withBean("bad", UnknownType.class),
                "listener's parameter is of no type that is known: method=bad.take, type=java.util.List<java.lang.String>;");
        assertRefused(
                runner().withBean("bad", TooManyThreads.class),
                "listener's concurrency is out of range: listener=bad.take, concurrency=257, allowed 1 to 256");
        assertRefused(
                runner().withBean("bad", WrongAddress.class),
                "listener's address is none: listener=bad.take, address=nowhere;");
        assertRefused(
                runner().withBean("one", Failing.class).withBean("two", Failing.class),
                "listeners share an id: id=failing;");
        assertRefused(
                new ApplicationContextRunner()
                        .withConfiguration(AutoConfigurations.of(FairleadAutoConfiguration.class))
                        .withBean(Failing.class),
                "listener has no publisher: listener=failing; set fairlead.spring.subscriber.address");
    }

    private static void assertRefused(ApplicationContextRunner runner, String message) {
        runner.run((AssertableApplicationContext context) -> {
            Throwable failure = context.getStartupFailure();
            String description = failure == null
                    ? "it has started"
                    : new FairleadFailureAnalyzer().analyze(failure).getDescription();
            assertTrue(description.startsWith(message), description);
            assertFalse(description.contains("\n"), description);
        });
    }

    @Test
    void shouldConnectAgainToAPublisherThatIsRestarted() {
        int port = publisher.address().getPort();
        runner().withBean(Failing.class).run(context -> {
            FairleadListenerContainer container = live(context).getFirst();
            publish("a");
            Await.until("first", () -> container.handled() == 1);
            publisher.close();
            Await.until("lost", () -> container.state() == SubscriptionState.WAITING);
            NodePublisher again = NodePublisher.listen(feed, Addresses.resolved("127.0.0.1:" + port))
                    .join();
            NodeTopic anew = again.topic("prices").join();
            live(context);
            anew.publish("b".getBytes(StandardCharsets.UTF_8)).join();
            Await.until("second", () -> container.handled() == 2);
            assertNull(context.getStartupFailure());
        });
    }
}
