package io.fairlead.node.internal.listen;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Peer;
import io.fairlead.node.internal.frame.NodeLayer;
import io.fairlead.node.internal.loop.ProgressLoop;
import io.fairlead.node.internal.peer.NodePeer;
import io.fairlead.node.internal.peer.NodePeers;
import io.fairlead.node.internal.receive.PeerTable;
import io.fairlead.spi.LayerHandler;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Makes a peer of each endpoint that a listener accepts.
 *
 * @param peers what peers of the node share
 * @param loop whose worker the endpoints are of
 * @param accepted called with each peer
 * @param hasSlot whether the endpoint counts in the loop's load already
 * @param lost run when an endpoint will not become a peer
 */
record Acceptor(NodePeers peers, ProgressLoop loop, Consumer<Peer> accepted, boolean hasSlot, Runnable lost)
        implements NodeLayer {
    @Override
    public void connected(Endpoint endpoint, int peerFeatures) {
        NodePeer peer = new NodePeer(
                peers,
                loop,
                endpoint.remoteAddress(),
                peers.group().settings().policy(),
                ReconnectPolicy.NEVER,
                Acceptor::ignore);
        peer.link().accept(endpoint, peerFeatures, hasSlot);
        loop.deliver(() -> accepted.accept(peer));
    }

    @Override
    public Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        LayerHandler link = table().link(message.source().orElseThrow());
        return link == null ? Optional.empty() : link.preface(message, before);
    }

    private static void ignore(Optional<FairleadException> outcome) {
        // The consumer gets the peer itself.
    }

    @Override
    public void signalled(Endpoint endpoint, long value) {
        forward(endpoint, link -> link.signalled(endpoint, value));
    }

    @Override
    public void closed(Endpoint endpoint) {
        forwardEnd(endpoint, link -> link.closed(endpoint));
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        forwardEnd(endpoint, link -> link.failed(endpoint, cause));
    }

    private PeerTable table() {
        return peers.receives().on(loop).peers();
    }

    private void forward(Endpoint endpoint, Consumer<LayerHandler> event) {
        LayerHandler link = table().link(endpoint);
        if (link != null) {
            event.accept(link);
        }
    }

    /** An endpoint that ends without a peer has not got through its handshake. */
    private void forwardEnd(Endpoint endpoint, Consumer<LayerHandler> event) {
        if (table().of(endpoint) == null) {
            lost.run();
        }
        forward(endpoint, event);
    }
}
