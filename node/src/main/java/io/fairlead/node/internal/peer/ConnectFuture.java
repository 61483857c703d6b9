package io.fairlead.node.internal.peer;

import io.fairlead.FairleadException;
import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.loop.Delivery;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.NodeFuture;
import io.fairlead.node.internal.loop.ProgressLoop;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An attempt to connect. Ending the future early, by a cancel or a time-out, ends the attempt. */
public final class ConnectFuture extends NodeFuture<Peer> implements LoopTask, Delivery {
    private final NodePeer peer;
    private @Nullable FairleadException failure;

    ConnectFuture(
            NodePeers peers,
            ProgressLoop loop,
            InetSocketAddress address,
            PathPolicy policy,
            ReconnectPolicy reconnect) {
        this.peer = new NodePeer(peers, loop, address, policy, reconnect, this::opened);
    }

    public NodePeer peer() {
        return peer;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        return abandonIf(super.cancel(mayInterruptIfRunning));
    }

    @Override
    public boolean completeExceptionally(Throwable thrown) {
        return abandonIf(super.completeExceptionally(thrown));
    }

    @Override
    public boolean complete(Peer other) {
        return abandonIf(super.complete(other));
    }

    private boolean abandonIf(boolean ended) {
        if (ended) {
            peer.loop().execute(new LoopTask.Action(_ -> peer.link().abort()));
        }
        return ended;
    }

    @Override
    public void accept(ProgressLoop loop) {
        if (!isDone()) {
            peer.link().connect();
        }
    }

    @Override
    public void refuse(FairleadException cause) {
        super.completeExceptionally(cause);
    }

    private void opened(Optional<FairleadException> outcome) {
        failure = outcome.orElse(null);
        peer.loop().deliver(this);
    }

    @Override
    public void deliver() {
        if (failure != null) {
            super.completeExceptionally(failure);
        } else if (!super.complete(peer)) {
            // The caller has given up, and nothing else refers to the peer.
            peer.abort();
        }
    }
}
