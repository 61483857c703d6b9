package io.fairlead.benchmarks.rpc;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.Node;
import io.fairlead.node.Peer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Asks by a node, as an application does: a receive for the reply, and a send. */
final class NodeClient implements RpcClient {
    private static final Duration DEADLINE = Duration.ofSeconds(60);

    private final Node node;
    private final Peer peer;

    NodeClient(PathPolicy policy, InetSocketAddress address) {
        node = Node.start(FairleadConfig.defaults().with(ConfigKeys.POLICY, policy));
        peer = node.connect(address).join();
    }

    /** The same connection, asked by the node's own requests. */
    RpcClient requesting() {
        return new RpcClient() {
            @Override
            public CompletableFuture<Void> ask(int slot, long number) {
                return peer.request(RpcPayload.request(number), RpcSide.SERVICE, DEADLINE)
                        .thenAccept(reply -> RpcPayload.checkReply(reply.segment(), number));
            }

            @Override
            public void close() {
                // The node is closed with the other.
            }
        };
    }

    /** The transport that the path goes over. */
    String transport() {
        return peer.path().transport();
    }

    @Override
    public CompletableFuture<Void> ask(int slot, long number) {
        CompletableFuture<Void> replied =
                peer.receive(slot).thenAccept(message -> RpcPayload.checkReply(message.segment(), number));
        CompletableFuture<Void> sent = peer.send(RpcPayload.request(number), slot);
        if (sent.isCompletedExceptionally()) {
            // Nothing was sent, so that no reply comes.
            return sent;
        }
        return replied;
    }

    @Override
    public void close() {
        node.close();
    }
}
