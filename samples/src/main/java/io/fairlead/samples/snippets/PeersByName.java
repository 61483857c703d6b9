package io.fairlead.samples.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.PeerSelection;
import io.fairlead.node.PeerSet;
import io.fairlead.node.PeerSetOptions;
import io.fairlead.node.Registration;
import io.fairlead.node.discovery.Member;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Messages to whoever serves under a name. */
public final class PeersByName {
    private static final long REQUEST = 1;
    private static final long PRICE = 2;

    private PeersByName() {}

    /**
     * Sends a message to one member, and asks one.
     *
     * @param args none
     */
    public static void main(String[] args) {
        try (Node server = Node.start(FairleadConfig.load());
                Node client = Node.start(FairleadConfig.load())) {
            Listener listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), peer -> {});
            CompletableFuture<Message> received = server.receive(REQUEST);
            server.serve(PRICE, request -> request.reply("42".getBytes(UTF_8)));
            String name = "static:127.0.0.1:" + listener.address().getPort();
            send(client, name);
            System.out.println(new String(received.join().bytes(), UTF_8));
            ask(client, name);
        }
    }

    private static void send(Node node, String name) {
        // @start region="set"
        try (PeerSet feed = node.peers(name, PeerSetOptions.defaults().withSelection(PeerSelection.LEAST_IN_FLIGHT))
                .join()) {
            feed.send("hello, feed".getBytes(UTF_8), REQUEST).join();
        }
        // @end
    }

    private static void ask(Node node, String name) {
        // @start region="request"
        try (PeerSet feed = node.peers(name).join()) {
            Message price = feed.request("rope".getBytes(UTF_8), PRICE, Duration.ofSeconds(2))
                    .join();
            System.out.println(new String(price.bytes(), UTF_8));
        }
        // @end
    }

    /**
     * Registers a node in ZooKeeper.
     *
     * @param node listens
     * @param listener where
     */
    public static void register(Node node, Listener listener) {
        // @start region="register"
        try (Registration entry = node.register(
                        "zk://10.0.0.1:2181,10.0.0.2:2181/services/feed", Member.at(listener.address()))
                .join()) {
            System.out.println(entry);
        }
        // @end
    }
}
