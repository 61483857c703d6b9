package io.fairlead.tck;

import io.fairlead.node.Node;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.PublisherEvents;
import io.fairlead.pubsub.PublisherOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A publisher on one node, and a subscriber of it on another. */
final class Nodes implements AutoCloseable {
    static final long DEADLINE_S = 60;

    private final Node server;
    private final Node client;
    private final NodePublisher publisher;
    private final NodeSubscriber subscriber;

    Nodes(Lane lane, PublisherEvents events) {
        server = Node.start(lane.config());
        client = Node.start(lane.config());
        publisher = get(NodePublisher.listen(
                server,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                PublisherOptions.defaults()
                        .withEvents(events)
                        // Most cases leave a topic with messages that nobody asks for.
                        .withDrainTimeout(Duration.ofMillis(20))));
        subscriber = get(NodeSubscriber.connect(client, publisher.address()));
    }

    NodePublisher publisher() {
        return publisher;
    }

    NodeSubscriber subscriber() {
        return subscriber;
    }

    static <T> T get(CompletableFuture<T> future) {
        return future.orTimeout(DEADLINE_S, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        subscriber.close();
        publisher.close();
        client.close();
        server.close();
    }
}
