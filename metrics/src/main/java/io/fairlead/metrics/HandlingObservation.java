package io.fairlead.metrics;

import io.fairlead.node.ServiceRequest;
import io.fairlead.observation.MessageContext;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;

/**
 * What the observation of a service's handler is about: it continues the trace that the request has brought. For conventions and handlers of an
 * application's own. Not thread-safe, as no context is.
 */
public final class HandlingObservation extends ReceiverContext<MessageContext> {
    private final String service;
    private final ServiceRequest request;

    HandlingObservation(String service, ServiceRequest request) {
        super((carrier, name) -> carrier.value(name).orElse(null), Kind.SERVER);
        this.service = service;
        this.request = request;
        setCarrier(request.context());
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
     * What the handler gets.
     *
     * @return the request; its memory is the handler's
     */
    public ServiceRequest request() {
        return request;
    }
}
