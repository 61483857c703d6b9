package io.fairlead.node.internal;

import io.fairlead.Endpoint;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which peer an endpoint of a loop's worker belongs to. Belongs to the loop's thread.
 *
 * <p>What an endpoint has brought may be received after its end, so that ended ones are known for as long as the worker knows them.
 */
final class PeerTable {
    private final IdentityHashMap<Endpoint, NodePeer> connected = new IdentityHashMap<>();
    /** Endpoints that have ended; two are never equal. */
    private final Map<Endpoint, NodePeer> ended = new WeakHashMap<>();
    /** What was asked for last, and is most often asked for next. */
    private @Nullable Endpoint lastAsked;

    private @Nullable NodePeer lastAnswer;

    void connected(Endpoint endpoint, NodePeer peer) {
        connected.put(endpoint, peer);
        lastAsked = null;
    }

    void disconnected(Endpoint endpoint) {
        NodePeer peer = connected.remove(endpoint);
        if (peer != null) {
            ended.put(endpoint, peer);
        }
        lastAsked = null;
    }

    /** The link of an endpoint that has not ended; null if the node has no such endpoint. */
    @Nullable PeerLink link(Endpoint endpoint) {
        NodePeer peer = connected.get(endpoint);
        return peer == null ? null : peer.link();
    }

    /** The peer of an endpoint, ended or not; null if the endpoint is not the node's. */
    @SuppressWarnings("ReferenceEquality") // The endpoint itself.
    @Nullable NodePeer of(Endpoint endpoint) {
        if (lastAsked == endpoint) {
            return lastAnswer;
        }
        NodePeer peer = connected.get(endpoint);
        if (peer == null) {
            // It may be kept by nothing else, and must not be by this.
            return ended.get(endpoint);
        }
        lastAsked = endpoint;
        lastAnswer = peer;
        return peer;
    }
}
