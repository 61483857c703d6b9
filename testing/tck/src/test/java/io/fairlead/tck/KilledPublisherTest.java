package io.fairlead.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.Node;
import io.fairlead.pubsub.FlowOptions;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.PubSubStatistics;
import io.fairlead.pubsub.SubscriptionOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The process of a topic is killed while flows of its messages run. */
@Timeout(180)
final class KilledPublisherTest {
    static {
        // The first use of a socket makes one that the virtual machine keeps for good.
        try (Selector selector = Selector.open();
                ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(null).configureBlocking(false).register(selector, server.validOps());
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The process that is killed: publishes a flow of numbers until then. */
    static final class Peer {
        private Peer() {}

        public static void main(String[] arguments) throws InterruptedException {
            Node node = Node.start(Lane.valueOf(arguments[0]).config());
            NodePublisher publisher = NodePublisher.listen(
                            node, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .join();
            NodeTopic topic = publisher.topic("numbers").join();
            AtomicLong next = new AtomicLong();
            Flow.Subscriber<Long> sink = topic.flow(element -> MemorySegment.ofArray(new long[] {element}));
            System.out.println(publisher.address().getPort());
            sink.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long elements) {
                    for (long i = 0; i < elements; i++) {
                        sink.onNext(next.getAndIncrement());
                    }
                }

                @Override
                public void cancel() {
                    // Nobody cancels: the process is killed.
                }
            });
            // Until the test kills the process.
            boolean _ = new CountDownLatch(1).await(5, TimeUnit.MINUTES);
        }
    }

    /** Checks that numbers follow each other, asks for one at a time, or for none. */
    private static final class Watch implements Flow.Subscriber<Long> {
        private final CompletableFuture<Throwable> ended = new CompletableFuture<>();
        private final CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();
        private final AtomicLong count = new AtomicLong();
        private final AtomicReference<@Nullable String> mistake = new AtomicReference<>();
        private final long initial;
        private long last = -1;

        Watch(long initial) {
            this.initial = initial;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscribed.complete(subscription);
            if (initial > 0) {
                subscription.request(initial);
            }
        }

        @Override
        public void onNext(Long number) {
            if (last >= 0 && number != last + 1) {
                mistake.compareAndSet(null, "number=" + number + " after " + last);
            }
            last = number;
            count.incrementAndGet();
            subscribed.join().request(1);
        }

        @Override
        public void onError(Throwable error) {
            ended.complete(error);
        }

        @Override
        public void onComplete() {
            ended.complete(new AssertionError("complete"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFailTheFlowsOfAPublisherThatIsKilled(Lane lane) throws Exception {
        try (Node node = Node.start(lane.config())) {
            int before = descriptors();
            Process peer = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-Xmx256m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Peer.class.getName(),
                            lane.name())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            Watch taking = new Watch(1);
            Watch idle = new Watch(0);
            NodeSubscriber subscriber;
            try (BufferedReader said = peer.inputReader()) {
                int port = port(said);
                subscriber = Nodes.get(
                        NodeSubscriber.connect(node, new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
                subscriber
                        .flow(
                                "numbers",
                                SubscriptionOptions.defaults(),
                                FlowOptions.defaults(),
                                KilledPublisherTest::number)
                        .subscribe(taking);
                awaitTrue(() -> taking.count.get() > 10_000, taking);
                subscriber.flow("numbers", KilledPublisherTest::number).subscribe(idle);
                Nodes.get(subscriber.path());
            } finally {
                peer.destroyForcibly().waitFor();
            }
            FairleadException lost = assertInstanceOf(FairleadException.class, Nodes.get(taking.ended));
            assertEquals(Reason.PEER_LOST, lost.reason(), lost::getMessage);
            Nodes.get(idle.subscribed).request(Long.MAX_VALUE);
            // It may not have joined yet: then it waits for the publisher to come back.
            subscriber.close();
            assertInstanceOf(FairleadException.class, Nodes.get(idle.ended));
            assertEquals(null, taking.mistake.get());
            awaitTrue(
                    () -> PubSubStatistics.of(node.context()).value(PubSubCounter.SUBSCRIPTIONS) == 0
                            && descriptors() <= before,
                    taking);
        }
    }

    private static long number(MemorySegment message) {
        return message.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
    }

    private static int port(BufferedReader said) throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.matches("[0-9]+")) {
                return Integer.parseInt(line);
            }
        }
        throw new AssertionError("the other process has ended");
    }

    private static int descriptors() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            List<Path> sockets = open.filter(each -> {
                        try {
                            String target = Files.readSymbolicLink(each).toString();
                            return target.startsWith("socket:") || target.contains("memfd:");
                        } catch (IOException gone) {
                            return false;
                        }
                    })
                    .toList();
            return sockets.size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void awaitTrue(BooleanSupplier condition, Watch watch) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Nodes.DEADLINE_S);
        while (!condition.getAsBoolean()) {
            assertTrue(
                    System.nanoTime() < deadline,
                    () -> "waited in vain: count=" + watch.count + ", ended=" + watch.ended + ", sockets="
                            + descriptors());
            Thread.yield();
        }
    }
}
