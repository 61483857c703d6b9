package io.fairlead.samples.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Request and reply on the Node API. */
public final class NodeMessages {
    private static final long REQUEST = 1;
    private static final long REPLY = 2;

    private NodeMessages() {}

    /**
     * Asks a server for an answer.
     *
     * @param args none
     */
    public static void main(String[] args) {
        // @start region="example"
        try (Node server = Node.start(FairleadConfig.load());
                Node client = Node.start(FairleadConfig.load())) {
            Listener listener = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), peer -> {});
            CompletableFuture<Void> answered = server.receive(REQUEST)
                    .thenCompose(request -> request.source().send(request.bytes(), REPLY));

            // From any thread, virtual ones included.
            Peer peer = client.connect(listener.address()).join();
            System.out.println("path: " + peer.path());
            CompletableFuture<Message> reply = peer.receive(REPLY);
            peer.send("hello, node".getBytes(UTF_8), REQUEST).join();
            System.out.println(new String(reply.join().bytes(), UTF_8));
            answered.join();
        }
        // @end
    }
}
