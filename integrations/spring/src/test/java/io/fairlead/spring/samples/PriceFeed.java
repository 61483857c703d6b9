package io.fairlead.spring.samples;

import io.fairlead.FairleadConfig;
import io.fairlead.node.Node;
import io.fairlead.node.ServiceRequest;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeTopic;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Publishes prices and serves requests for quotes. It needs no Spring. */
public final class PriceFeed implements AutoCloseable {
    /** The tag of requests for a quote: a symbol. */
    static final long QUOTE = 1;

    private final String name;
    private final Node node = Node.start(FairleadConfig.load());
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();

    public PriceFeed(String name, int publisherPort, int peerPort) {
        this.name = name;
        node.serve(QUOTE, this::quote);
        node.listen(loopback(peerPort), _ -> {});
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

    private void quote(ServiceRequest request) {
        String symbol = new String(request.bytes(), StandardCharsets.UTF_8);
        request.reply((name + " quotes " + symbol).getBytes(StandardCharsets.UTF_8));
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
