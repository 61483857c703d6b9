package io.fairlead.node;

import java.util.Optional;

/**
 * Sees the requests that a node makes and serves: it may read, add headers, and refuse. See {@link Node#intercept}. Thread-safe. Several are combined by
 * calling one from the other.
 */
public interface RequestInterceptor {
    /** Changes nothing. */
    RequestInterceptor NONE = new RequestInterceptor() {};

    /**
     * A request is about to be made. Called once by the thread that makes it, before anything is copied.
     *
     * @param peer whom it asks; empty for a set, which chooses later
     * @param tag the service's tag
     * @param options what the caller has asked for
     * @return the options to use
     * @throws RequestException fails the request with its status and text, safe to send again; another exception with {@link RequestStatus#FAILED}
     */
    default RequestOptions request(Optional<Peer> peer, long tag, RequestOptions options) {
        return options;
    }

    /**
     * A service starts. The handler that is returned gets its requests, and calls the other one for those that it lets pass. It runs where the service's
     * handler does. {@link ServiceRequest#context()} has the headers, {@link ServiceRequest#source()} the peer with its {@link Peer#identity() identity}.
     *
     * @param tag the service's tag
     * @param handler the service's handler
     * @return the handler to use
     */
    default ServiceHandler serve(long tag, ServiceHandler handler) {
        return handler;
    }
}
