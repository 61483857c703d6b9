package io.fairlead.samples.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.Subscription;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;

/** A topic between two nodes. */
public final class TopicMessages {
    private TopicMessages() {}

    /**
     * Publishes three messages.
     *
     * @param args none
     * @throws InterruptedException if interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        // @start region="example"
        try (Node server = Node.start(FairleadConfig.load());
                Node client = Node.start(FairleadConfig.load());
                NodePublisher publisher = NodePublisher.listen(
                                server, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .join();
                NodeSubscriber subscriber =
                        NodeSubscriber.connect(client, publisher.address()).join()) {
            NodeTopic prices = publisher.topic("prices").join();
            CountDownLatch arrived = new CountDownLatch(3);
            subscriber
                    .subscribe("prices", (topic, sequence, buffer, offset, length) -> {
                        // On the progress thread: copy, and give long work to another thread.
                        byte[] price = buffer.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
                        System.out.println(topic + " " + sequence + ": " + new String(price, UTF_8));
                        arrived.countDown();
                    })
                    // What is published before this completes is not delivered.
                    .thenCompose(Subscription::joined)
                    .join();
            for (String price : new String[] {"rope 12", "block 7", "cleat 3"}) {
                prices.publish(price.getBytes(UTF_8)).join();
            }
            arrived.await();
        }
        // @end
    }
}
