package io.fairlead.spi;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Incubating;
import io.fairlead.MessageInfo;
import java.util.Optional;

/**
 * The {@link EndpointHandler} of a layer between worker and application, such as Node or publish-subscribe. It also
 * exchanges feature bits with the peer's layer, and distinguishes the layer's messages and reconnections. The worker
 * calls it on its thread, as any handler.
 */
@Incubating
public interface LayerHandler extends EndpointHandler {
    /** The value of {@link #prefaceTag()} for a layer without header messages; no message has this tag. */
    long NO_TAG = -1;

    /**
     * The feature bits of the layer, sent in the handshake to the peer's handler. The core calls this once, when it
     * begins or answers the handshake. Bits 0 to 7 belong to Fairlead's own layers (bit 0 to Node), bits 8 to 14 to
     * others.
     *
     * @return 15 bits; 0 unless overridden
     */
    default int features() {
        return 0;
    }

    /**
     * Whether only receives that name the endpoint match its messages. Receives, probes and claims from any endpoint
     * then ignore them, so a layer and the application can share a worker without receiving each other's messages. The
     * core drops those that are left when the endpoint has ended. It calls this once, when it creates the endpoint.
     *
     * @return true to keep the endpoint's messages to itself; false unless overridden
     */
    default boolean isExclusive() {
        return false;
    }

    /**
     * The tag of the layer's header messages. A header message belongs to the layer and describes the next message on
     * the same endpoint. The context's {@link io.fairlead.Authorizer} is not asked about it: the layer does that itself.
     * The core calls this once, when it creates the endpoint.
     *
     * @return 48 bits; {@link #NO_TAG} unless overridden
     */
    default long prefaceTag() {
        return NO_TAG;
    }

    /**
     * Called when a message with the {@link #prefaceTag()} has arrived and its length is known, inside progress and in the order of the endpoint's
     * messages. It must not call the worker.
     *
     * @param message the header message. If the result is not empty, the core claims it, and the layer receives it by
     *     {@link io.fairlead.Worker#receiveClaimed} after progress has returned
     * @param before the result for the header message right before this one; empty if another kind of message was
     *     between them
     * @return any object, which {@link PrefacedMessage#preface()} of the next ordinary message returns; empty to have
     *     this message matched as any other
     */
    default Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        return Optional.empty();
    }

    /**
     * Whether the connection replaces a lost one. The core then counts it in
     * {@link io.fairlead.statistics.Counter#RECONNECTS}. It calls this once, right before
     * {@link #connected(Endpoint, int)}.
     *
     * @param endpoint the endpoint, now connected
     * @return true for a connection that replaces a lost one; false unless overridden
     */
    default boolean isReconnect(Endpoint endpoint) {
        return false;
    }

    /**
     * Called when the handshake has succeeded and operations may be posted, instead of {@link #connected(Endpoint)}.
     * The default implementation calls that method.
     *
     * @param endpoint the endpoint; new to the handler on the listening side
     * @param peerFeatures the {@link #features()} of the peer's handler; 0 if it is not a {@code LayerHandler}
     */
    default void connected(Endpoint endpoint, int peerFeatures) {
        connected(endpoint);
    }
}
