package io.fairlead.samples.snippets;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.node.Message;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Request and reply on the Node API. */
public final class NodeMessages {
    private static final long GREET = 1;

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
            Listener listener = server.listen("127.0.0.1:0", peer -> {});
            // The handler runs on a virtual thread for each request, and may block.
            server.serve(GREET, request -> request.reply(("hello, " + text(request)).getBytes(UTF_8)));

            Peer peer = client.connect(listener.address()).join();
            System.out.println("path: " + peer.path());
            CompletableFuture<Message> reply = peer.request("node".getBytes(UTF_8), GREET, Duration.ofSeconds(10));
            System.out.println(text(reply.join()));
        }
        // @end
    }

    private static String text(Message message) {
        return new String(message.bytes(), UTF_8);
    }
}
