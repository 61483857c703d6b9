package io.fairlead.node.internal.listen;

import io.fairlead.ConnectionRequest;
import io.fairlead.ConnectionRequestHandler;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.errors.Failures;
import io.fairlead.node.internal.loop.LoopTask;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.peer.NodePeers;
import java.util.function.Consumer;

/**
 * Gives each connection of a listener to the progress thread of the node that has the fewest.
 *
 * @param peers what peers of the node share
 * @param accepted called with each peer
 */
record Balancer(NodePeers peers, Consumer<Peer> accepted) implements ConnectionRequestHandler {
    @Override
    public void requested(ConnectionRequest request) {
        ProgressLoop loop = peers.group().leastLoaded();
        // It counts from now on: others that come at the same time go elsewhere.
        loop.load().incrementAndGet();
        Transfer transfer = new Transfer(peers, request, accepted, loop);
        if (loop.isCurrent()) {
            transfer.accept(loop);
        } else {
            loop.execute(transfer);
        }
    }

    /**
     * A connection on its way to its loop.
     *
     * @param peers what peers of the node share
     * @param request the connection
     * @param accepted called with the peer
     * @param loop whose load it counts in already
     */
    private record Transfer(NodePeers peers, ConnectionRequest request, Consumer<Peer> accepted, ProgressLoop loop)
            implements LoopTask {
        @Override
        public void accept(ProgressLoop on) {
            try {
                Endpoint _ = on.worker().accept(request, new Acceptor(peers, on, accepted, true, this::uncount));
            } catch (FairleadException refused) {
                // What came too late is answered already.
                refuse(refused);
            } catch (IllegalStateException closing) {
                refuse(Failures.nodeClosed());
            }
        }

        @Override
        public void refuse(FairleadException cause) {
            uncount();
            if (cause.reason() == Reason.CLOSED) {
                request.reject(Reason.CONNECTION_REFUSED, "the listener's node closes");
            } else {
                request.reject(cause.reason(), String.valueOf(cause.getMessage()));
            }
        }

        private void uncount() {
            loop.load().decrementAndGet();
        }
    }
}
