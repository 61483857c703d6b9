package io.fairlead.node.internal.peer;

import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Node;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopGroup;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.receive.NodeReceives;
import io.fairlead.node.internal.request.NodeRequests;
import java.net.InetSocketAddress;

/**
 * What the peers of a node share.
 *
 * @param node what they belong to
 * @param group its loops
 * @param receives the receives of the node
 * @param requests what their requests share
 */
public record NodePeers(Node node, LoopGroup group, NodeReceives receives, NodeRequests requests) {
    /** Begins to connect to a peer. */
    public ConnectFuture connect(
            ProgressLoop loop, InetSocketAddress address, PathPolicy policy, ReconnectPolicy reconnect) {
        ConnectFuture future = new ConnectFuture(this, loop, address, policy, reconnect);
        if (loop.isStopping()) {
            future.refuse(Failures.nodeClosed());
        } else {
            loop.execute(future);
        }
        return future;
    }
}
