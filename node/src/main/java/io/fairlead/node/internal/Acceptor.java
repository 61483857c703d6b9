package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.MessageInfo;
import io.fairlead.ReconnectPolicy;
import io.fairlead.node.Peer;
import io.fairlead.spi.LayerReceive;
import io.fairlead.spi.PrefacedMessage;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Makes a peer of each endpoint that a listener accepts.
 *
 * @param loop whose worker the endpoints are of
 * @param accepted told of each peer
 * @param hasPlace whether the endpoint counts among the loop's already
 * @param lost run when an endpoint will not become a peer
 */
record Acceptor(ProgressLoop loop, Consumer<Peer> accepted, boolean hasPlace, Runnable lost) implements NodeLayer {
    @Override
    public void connected(Endpoint endpoint, int peerFeatures) {
        NodeEngine node = loop.node();
        NodePeer peer = new NodePeer(
                node,
                loop,
                endpoint.remoteAddress(),
                node.settings().policy(),
                ReconnectPolicy.NEVER,
                Acceptor::ignore);
        peer.link().accept(endpoint, peerFeatures, hasPlace);
        loop.deliver(() -> accepted.accept(peer));
    }

    @Override
    public LayerReceive receive(PrefacedMessage message) {
        NodePeer peer = loop.peers().of(message.source().orElseThrow());
        return peer == null ? LayerReceive.NONE : peer.link().receive(message);
    }

    @Override
    public Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        PeerLink link = loop.peers().link(message.source().orElseThrow());
        return link == null ? Optional.empty() : link.preface(message, before);
    }

    private static void ignore(Optional<FairleadException> outcome) {
        // The consumer is told of the peer itself.
    }

    @Override
    public void signalled(Endpoint endpoint, long value) {
        tell(endpoint, link -> link.signalled(endpoint, value));
    }

    @Override
    public void closed(Endpoint endpoint) {
        tellEnd(endpoint, link -> link.closed(endpoint));
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        tellEnd(endpoint, link -> link.failed(endpoint, cause));
    }

    private void tell(Endpoint endpoint, Consumer<PeerLink> news) {
        PeerLink link = loop.peers().link(endpoint);
        if (link != null) {
            news.accept(link);
        }
    }

    /** What ends without a peer has not got through its handshake. */
    private void tellEnd(Endpoint endpoint, Consumer<PeerLink> news) {
        if (loop.peers().of(endpoint) == null) {
            lost.run();
        }
        tell(endpoint, news);
    }
}
