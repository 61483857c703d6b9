package io.fairlead.discovery.zookeeper;

import io.fairlead.FairleadConfig;
import io.fairlead.Listener;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.NodeKeys;
import io.fairlead.node.discovery.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A member in a process of its own, which takes messages and requests until it is killed or its input ends. */
final class MemberProgram {
    private MemberProgram() {}

    /**
     * Registers, and serves.
     *
     * @param args the name of the service, and that of the member
     */
    public static void main(String[] args) throws IOException {
        FairleadConfig config = FairleadConfig.defaults()
                .with(ConfigKeys.NODE_NAME, args[1])
                .with(ConfigKeys.TRANSPORTS, "tcp")
                .with(NodeKeys.DISCOVERY_LEASE, Duration.ofSeconds(2));
        try (Node node = Node.start(config)) {
            Listener listener = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), _ -> {});
            for (int i = 0; i < 16; i++) {
                receiveNext(node);
            }
            node.serve(CountedSends.SERVICE_TAG, request -> request.reply(request.segment()));
            node.register(args[0], Member.of(args[1], listener.address())).join();
            while (System.in.read() >= 0) {
                // Until whoever has started it is gone.
            }
        }
    }

    private static void receiveNext(Node node) {
        CompletableFuture<Void> _ = node.receive(CountedSends.MESSAGE_TAG).thenAccept(_ -> receiveNext(node));
    }
}
