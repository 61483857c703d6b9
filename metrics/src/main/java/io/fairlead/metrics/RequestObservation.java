package io.fairlead.metrics;

import io.fairlead.node.Peer;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an observation of a caller's request is about: for conventions and handlers of an application's own. Not thread-safe, as no context is. What a
 * handler puts into the carrier when the observation starts travels with the request.
 */
public final class RequestObservation extends SenderContext<Map<String, String>> {
    private final String service;
    private final Peer peer;
    private final long length;

    RequestObservation(String service, Peer peer, long length) {
        super(
                (carrier, name, value) -> {
                    if (carrier != null) {
                        carrier.put(name, value);
                    }
                },
                Kind.CLIENT);
        this.service = service;
        this.peer = peer;
        this.length = length;
        setCarrier(new LinkedHashMap<>());
    }

    /**
     * What is asked.
     *
     * @return the service's name, or its tag
     */
    public String service() {
        return service;
    }

    /**
     * Whom it asks.
     *
     * @return the peer
     */
    public Peer peer() {
        return peer;
    }

    /**
     * The payload.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }
}
