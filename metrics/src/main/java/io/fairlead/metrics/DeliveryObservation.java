package io.fairlead.metrics;

import io.fairlead.observation.MessageContext;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * What the observation of a delivered message is about: it continues the trace that the message has brought. For conventions and handlers
 * of an application's own. Not thread-safe, as no context is.
 */
public final class DeliveryObservation extends ReceiverContext<MessageContext> {
    private final String source;
    private final long length;

    DeliveryObservation(MessageContext brought, String source, long length) {
        super((carrier, name) -> carrier.value(name).orElse(null), Kind.CONSUMER);
        this.source = source;
        this.length = length;
        setCarrier(brought);
    }

    /**
     * Where the message came from.
     *
     * @return the peer's or the topic's name
     */
    public String source() {
        return source;
    }

    /**
     * The message's length.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }
}
