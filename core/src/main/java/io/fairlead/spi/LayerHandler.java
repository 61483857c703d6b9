package io.fairlead.spi;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Incubating;

/**
 * The handler of a layer between the worker and the application, such as Node or publish-subscribe. It agrees with the peer's layer on
 * what both can do, and says which of its connections replace lost ones.
 *
 * <p>Called as {@link EndpointHandler} is.
 */
@Incubating
public interface LayerHandler extends EndpointHandler {
    /**
     * What the layer can do, for the handler on the other side: asked once, when the handshake is answered or begun. Bits
     * 0 to 7 belong to Fairlead's own layers (bit 0 to node), bits 8 to 15 to others.
     *
     * @return 16 bits; 0 unless overridden
     */
    default int features() {
        return 0;
    }

    /**
     * Whether messages of the endpoint are for receives that are posted on the endpoint alone. Receives, probes and claims of any source on the
     * worker then pass them by, so that a layer and the application share a worker and do not take each other's messages. Asked once, when
     * the endpoint is made.
     *
     * @return true to keep the endpoint's messages to itself; false unless overridden
     */
    default boolean isExclusive() {
        return false;
    }

    /**
     * Whether the connection replaces one that was lost: it is then counted in {@link io.fairlead.statistics.Counter#RECONNECTS}.
     * Asked once, right before {@link #connected(Endpoint, int)}.
     *
     * @param endpoint the endpoint, now connected
     * @return true for a connection that was made again; false unless overridden
     */
    default boolean isReconnect(Endpoint endpoint) {
        return false;
    }

    /**
     * The handshake has ended well, and operations may be posted. Called in place of {@link #connected(Endpoint)}, which it calls
     * unless overridden.
     *
     * @param endpoint the endpoint, new to the caller on the listener's side
     * @param peerFeatures what the peer's handler answered to {@link #features()}; 0 if it is no such handler
     */
    default void connected(Endpoint endpoint, int peerFeatures) {
        connected(endpoint);
    }
}
