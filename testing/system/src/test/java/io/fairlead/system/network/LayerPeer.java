package io.fairlead.system.network;

import io.fairlead.node.Node;
import io.fairlead.statistics.Counter;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;

/** A process whose node sends requests and subscribes to a topic, or one that serves both. */
final class LayerPeer {
    private LayerPeer() {}

    /**
     * Runs the process until its standard input has a line, or ends.
     *
     * @param arguments {@code listen} or {@code connect}, address, port of the requests, which the topic's follows, and {@code on} or {@code off} for failover
     */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[2]);
        InetSocketAddress requests = new InetSocketAddress(arguments[1], port);
        InetSocketAddress topic = new InetSocketAddress(arguments[1], port + 1);
        try (Node node = Node.start(Report.config(arguments[3]))) {
            if (arguments[0].equals("listen")) {
                listen(node, requests, topic);
            } else {
                connect(node, requests, topic);
            }
        }
        Report.say("done");
    }

    private static void listen(Node node, InetSocketAddress requests, InetSocketAddress topic) throws Exception {
        try (Clock clock = new Clock()) {
            NumberedRequests.Echo.listen(node, requests);
            NumberedTopic.publish(node, topic, clock);
            clock.every(Report.EVERY, () -> Report.progress(() -> "serving=1"));
            Report.say("listening");
            awaitOrder();
        }
    }

    private static void connect(Node node, InetSocketAddress service, InetSocketAddress publisher) throws Exception {
        NumberedTopic topic = new NumberedTopic();
        NumberedRequests requests = new NumberedRequests();
        try (Clock clock = new Clock()) {
            topic.subscribe(node, publisher);
            requests.start(node, service, clock);
            clock.every(
                    Report.EVERY,
                    () -> Report.progress(() -> "requests=" + requests.answered() + " unknown=" + requests.unknown()
                            + " topic=" + topic.received() + " missed=" + topic.missed() + " resumed="
                            + node.context().statistics().value(Counter.FAILOVERS) + " "
                            + requests.roundTrips().report()));
            awaitOrder();
        }
        requests.finish();
    }

    private static void awaitOrder() throws IOException {
        int order = System.in.read();
        if (order < 0) {
            throw new EOFException("the test has ended");
        }
    }
}
