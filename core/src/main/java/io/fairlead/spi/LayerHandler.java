package io.fairlead.spi;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Incubating;
import io.fairlead.MessageInfo;
import java.util.Optional;

/**
 * The handler of a layer between the worker and the application, such as Node or publish-subscribe. It agrees with the peer's layer on
 * what both can do, and says which of its connections replace lost ones.
 *
 * <p>Called as {@link EndpointHandler} is.
 */
@Incubating
public interface LayerHandler extends EndpointHandler {
    /** The tag of no message. */
    long NO_TAG = -1;

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
     * The tag of messages of the layer's own, prefaces, each of which says something of the message behind it on the same endpoint. Asked once, when the endpoint is made.
     *
     * @return 48 bits; {@link #NO_TAG} unless overridden
     */
    default long prefaceTag() {
        return NO_TAG;
    }

    /**
     * A message with the {@link #prefaceTag()} has arrived. Called in the order of the endpoint's messages, as soon as the message's length is known, inside
     * progress; it must not call the worker.
     *
     * @param message the message. It is claimed where the answer is not empty, and the layer receives it by {@link io.fairlead.Worker#receiveClaimed}, when
     *     progress has returned
     * @param before what the prefaces before this one, behind the last message of another kind, have come to
     * @return what {@link PrefacedMessage#preface()} tells of the next message that is none; empty to have this message matched as any other
     */
    default Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        return Optional.empty();
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
