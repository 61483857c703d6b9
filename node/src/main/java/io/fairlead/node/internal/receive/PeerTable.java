package io.fairlead.node.internal.receive;

import io.fairlead.Endpoint;
import io.fairlead.spi.LayerHandler;
import io.fairlead.statistics.Counter;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Maps the endpoints of a loop's worker to peers. Belongs to the loop's thread.
 *
 * <p>Messages of an endpoint can be received after its end. Therefore an ended endpoint stays in the table as long as the worker keeps a message of it, and no longer.
 */
public final class PeerTable {
    /** Fewer ended endpoints are not swept. */
    private static final int SWEEP_MIN = 64;

    private final IdentityHashMap<Endpoint, SourcePeer> connected = new IdentityHashMap<>();
    /** Endpoints that have ended and left messages behind. */
    private final IdentityHashMap<Endpoint, SourcePeer> ended = new IdentityHashMap<>();
    /** The size of {@link #ended} at which it is swept. It doubles, so each entry is visited a few times in all. */
    private int sweepAt = SWEEP_MIN;
    /** The endpoint of the last lookup; most often the next lookup is for the same one. */
    private @Nullable Endpoint lastAsked;

    private @Nullable SourcePeer lastAnswer;

    public void connected(Endpoint endpoint, SourcePeer peer) {
        connected.put(endpoint, peer);
        forgetLast();
    }

    public void disconnected(Endpoint endpoint) {
        SourcePeer peer = connected.remove(endpoint);
        if (peer != null && hasMessages(endpoint)) {
            ended.put(endpoint, peer);
            if (ended.size() >= sweepAt) {
                ended.keySet().removeIf(left -> !hasMessages(left));
                sweepAt = Math.max(SWEEP_MIN, 2 * ended.size());
            }
        }
        forgetLast();
    }

    private static boolean hasMessages(Endpoint endpoint) {
        return endpoint.counters().value(Counter.UNEXPECTED_NOW) > 0;
    }

    private void forgetLast() {
        lastAsked = null;
        lastAnswer = null;
    }

    /** What handles the events of an endpoint that has not ended; null if the node has no such endpoint. */
    public @Nullable LayerHandler link(Endpoint endpoint) {
        SourcePeer peer = connected.get(endpoint);
        return peer == null ? null : peer.link();
    }

    /** The peer of an endpoint, which may have ended with messages; null if there is none. */
    @SuppressWarnings("ReferenceEquality") // The endpoint itself.
    public @Nullable SourcePeer of(Endpoint endpoint) {
        if (lastAsked == endpoint) {
            return lastAnswer;
        }
        SourcePeer peer = connected.get(endpoint);
        if (peer == null) {
            // An ended endpoint is not remembered here, which would keep it.
            return ended.get(endpoint);
        }
        lastAsked = endpoint;
        lastAnswer = peer;
        return peer;
    }
}
