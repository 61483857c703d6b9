package io.fairlead.metrics;

import static org.junit.jupiter.api.Assertions.fail;

import io.fairlead.AccessRight;
import io.fairlead.Completion;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.MemoryRegion;
import io.fairlead.RemoteKey;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Topic;
import io.fairlead.testkit.ChosenTransports;
import io.fairlead.testkit.loopback.LoopbackProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Two contexts over loopback with a worker each, driven by the thread of the test. */
final class Bench implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    final Context server;
    final Context client;
    final Worker serving;
    final Worker asking;
    final List<Endpoint> accepted = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment small = arena.allocate(8, 8);
    private final Listener listener;
    private int completed;

    Bench() {
        this(config());
    }

    Bench(FairleadConfig config) {
        server = open(config);
        client = open(config);
        serving = server.newWorker();
        asking = client.newWorker();
        listener = serving.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), new EndpointHandler() {
            @Override
            public void connected(Endpoint endpoint) {
                accepted.add(endpoint);
            }
        });
    }

    static FairleadConfig config() {
        return FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, "loopback")
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(60))
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(60))
                .with(ConfigKeys.CLOSE_TIMEOUT, Duration.ofMillis(100))
                .with(ConfigKeys.LATENCY_SAMPLING, 1);
    }

    static <T> FairleadConfig config(ConfigKey<T> key, T value) {
        return config().with(key, value);
    }

    private static Context open(FairleadConfig config) {
        return ChosenTransports.with(List.of(LoopbackProvider.available()), () -> Context.open(config));
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** Connects, and waits until both sides know. */
    Endpoint connect() {
        int before = accepted.size();
        Endpoint endpoint = asking.connect(address(), EndpointHandler.NONE);
        until(() -> endpoint.state() == EndpointState.CONNECTED && accepted.size() > before);
        return endpoint;
    }

    /** One of each operation, and a receive of each message. */
    void useEverything(Endpoint endpoint) {
        MemorySegment buffer = arena.allocate(4096, 8);
        Completion count = _ -> completed++;
        completed = 0;
        try (MemoryRegion region = server.allocate(4096, EnumSet.allOf(AccessRight.class))) {
            RemoteKey key = endpoint.unpack(region.packedKey());
            serving.receive(buffer, 1024, 100, 7, Worker.FULL_TAG_MASK, count, 0);
            endpoint.send(buffer, 0, 100, 7, count, 0);
            endpoint.put(buffer, 0, 200, key, 0, count, 0);
            endpoint.get(buffer, 0, 300, key, 0, count, 0);
            endpoint.fetchAdd(1, key, 0, count);
            endpoint.flush(count);
            until(() -> completed == 6);
        }
    }

    /** A message, and its receive on the other side. */
    void sendOne(Endpoint endpoint) {
        completed = 0;
        Completion count = _ -> completed++;
        serving.receive(small, 0, 8, 7, Worker.FULL_TAG_MASK, count, 0);
        endpoint.send(small, 0, 8, 7, count, 0);
        until(() -> completed == 2);
    }

    /** Publishes to a subscriber of the other side and waits until everything has arrived. */
    void publish(String topicName, int messages) {
        MemorySegment message = arena.allocate(64);
        try (Publisher publisher =
                        Publisher.listen(serving, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Subscriber subscriber = Subscriber.connect(asking, publisher.address())) {
            Topic topic = publisher.topic(topicName);
            var subscription = subscriber.subscribe(topicName, (_, _, _, _, _) -> {});
            until(() -> topic.subscriberCount() == 1);
            for (int i = 0; i < messages; i++) {
                topic.publish(message, 0, 64);
            }
            until(() -> subscription.received() == messages);
        }
    }

    MemorySegment buffer(long length) {
        return arena.allocate(length, 8);
    }

    void progress() {
        serving.progress();
        asking.progress();
    }

    void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + DEADLINE.toNanos();
        while (!condition.getAsBoolean()) {
            progress();
            if (System.nanoTime() - deadline > 0) {
                fail("did not happen within " + DEADLINE);
            }
        }
    }

    @Override
    public void close() {
        serving.close();
        asking.close();
        server.close();
        client.close();
        arena.close();
    }
}
