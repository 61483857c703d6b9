package io.fairlead.spi;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.Incubating;
import io.fairlead.MessageInfo;
import io.fairlead.Worker;
import java.util.Optional;

/**
 * The {@link EndpointHandler} of a layer between worker and application, such as Node or publish-subscribe. Besides the events of an endpoint it
 * exchanges feature bits with the peer's layer, and tells the core which messages belong to the layer and which connections replace lost
 * ones. The worker calls it on its thread, as it does any handler.
 */
@Incubating
public interface LayerHandler extends EndpointHandler {
    /** The value of {@link #prefaceTag()} for a layer without prefaces; no message has this tag. */
    long NO_TAG = -1;

    /**
     * The feature bits of the layer, which the handshake takes to the peer's handler. The core asks once, when it begins or answers the handshake.
     * Bits 0 to 7 belong to Fairlead's own layers (bit 0 to Node), bits 8 to 15 to others.
     *
     * @return 16 bits; 0 unless overridden
     */
    default int features() {
        return 0;
    }

    /**
     * Whether only receives that name the endpoint match its messages. Receives, probes and claims of any source then ignore them, so that a layer
     * and the application can share a worker without taking each other's messages. The core asks once, when it makes the endpoint.
     *
     * @return true to keep the endpoint's messages to itself; false unless overridden
     */
    default boolean isExclusive() {
        return false;
    }

    /**
     * Whether the layer may still receive messages that an ended endpoint of an {@linkplain #isExclusive() exclusive} handler has left behind. The core
     * drops them once it may not. It asks when the endpoint has ended, and from time to time while messages are left. Must not call the worker.
     *
     * @param endpoint the endpoint, which has ended
     * @return false if nobody will receive from the endpoint any more; true unless overridden
     */
    default boolean mayReceiveAfterEnd(Endpoint endpoint) {
        return true;
    }

    /**
     * The tag of the layer's prefaces. A preface is a message of the layer's own that describes the next message on the same endpoint. The core asks
     * once, when it makes the endpoint.
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
     * @param message the preface. If the result is not empty, the core claims it, and the layer receives it by
     *     {@link io.fairlead.Worker#receiveClaimed} after progress has returned
     * @param before the result for the preface right before this one; empty if a message of another kind was between
     * @return any object, which {@link PrefacedMessage#preface()} of the next message that is no preface has; empty to have this message matched as
     *     any other
     */
    default Optional<Object> preface(MessageInfo message, Optional<Object> before) {
        return Optional.empty();
    }

    /**
     * The tag of the layer's own messages, which no receive of the application matches unless the layer leaves them to it. The core asks once, when it
     * makes the endpoint.
     *
     * @return 48 bits; {@link #NO_TAG} unless overridden
     */
    default long ownTag() {
        return NO_TAG;
    }

    /**
     * Which bits of a tag are compared with {@link #ownTag()}; the layer is free to use the others. The core asks once, when it makes the endpoint.
     *
     * @return 48 bits, a set bit is compared; all of them unless overridden
     */
    default long ownTagMask() {
        return Worker.FULL_TAG_MASK;
    }

    /**
     * Called when a message with the {@link #ownTag()} has arrived and its length is known, inside progress and in the order of the endpoint's
     * messages. It must not call the worker. The core receives the message as the result says, without a receive that was posted for it, and what
     * {@link PrefacedMessage#preface()} has stays with the next message.
     *
     * @param message its source, tag and length, valid during the call; the core may ask again for a message that the layer has left to the application
     * @return how to receive it, told once of the end; {@link LayerReceive#NONE} to have it matched as any other
     */
    default LayerReceive receive(PrefacedMessage message) {
        return LayerReceive.NONE;
    }

    /**
     * Whether messages with a tag are the layer's, which asks the context's {@link io.fairlead.Authorizer} itself about what they are for. Others the core lets through
     * only from peers that may send messages. Asked for each message of a context that has an authorizer.
     *
     * @param tag a message's tag
     * @return true for the {@link #prefaceTag()} and the {@link #ownTag()} unless overridden
     */
    default boolean isOfLayer(long tag) {
        return tag == prefaceTag() || (tag & ownTagMask()) == ownTag();
    }

    /**
     * Whether the connection replaces one that was lost. The core then counts it in {@link io.fairlead.statistics.Counter#RECONNECTS}. It asks once,
     * right before {@link #connected(Endpoint, int)}.
     *
     * @param endpoint the endpoint, now connected
     * @return true for a connection that replaces a lost one; false unless overridden
     */
    default boolean isReconnect(Endpoint endpoint) {
        return false;
    }

    /**
     * Called when the handshake has succeeded and operations may be posted, in place of {@link #connected(Endpoint)}, which it calls unless
     * overridden.
     *
     * @param endpoint the endpoint; on the listening side it is seen here for the first time
     * @param peerFeatures the {@link #features()} of the peer's handler; 0 if that is no {@code LayerHandler}
     */
    default void connected(Endpoint endpoint, int peerFeatures) {
        connected(endpoint);
    }
}
