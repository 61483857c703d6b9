package io.fairlead.spring.samples;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeTopic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Publishes prices and answers questions for quotes. It needs no Spring. */
public final class PriceFeed implements AutoCloseable {
    /** The tag of questions: the tag of the answer, a space, and a symbol. */
    static final long QUESTIONS = 1;

    /** Tags of answers are above this. */
    static final long ANSWERS = 1000;

    private final String name;
    private final Node node = Node.start(FairleadConfig.load());
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

    public PriceFeed(String name, int publisherPort, int peerPort) {
        this.name = name;
        node.listen(loopback(peerPort), this::answer);
        NodeTopic prices = NodePublisher.listen(node, loopback(publisherPort))
                .thenCompose(publisher -> publisher.topic("prices"))
                .join();
        byte[] price = ("ACME " + name).getBytes(StandardCharsets.UTF_8);
        clock.scheduleAtFixedRate(() -> prices.publish(price), 0, 20, TimeUnit.MILLISECONDS);
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (PriceFeed _ =
                new PriceFeed(arguments[0], Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]))) {
            new CountDownLatch(1).await();
        }
    }

    private void answer(Peer peer) {
        peer.receive(QUESTIONS).thenAccept(message -> {
            String[] question = new String(message.bytes(), StandardCharsets.UTF_8).split(" ", 2);
            peer.send((name + " quotes " + question[1]).getBytes(StandardCharsets.UTF_8), Long.parseLong(question[0]));
            answer(peer);
        });
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void close() {
        clock.shutdownNow();
        node.close();
    }
}
