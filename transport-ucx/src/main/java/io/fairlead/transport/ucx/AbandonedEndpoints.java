package io.fairlead.transport.ucx;

import io.fairlead.spi.EndpointHost;
import java.util.ArrayList;
import java.util.List;

/** UCX endpoints of one worker that no endpoint uses any more, each until it may be closed. */
final class AbandonedEndpoints {
    private final List<UcpEndpoint> endpoints = new ArrayList<>();

    /** Closes an endpoint when UCX has connected it, or after the time limit for that. */
    void add(UcpEndpoint endpoint) {
        endpoint.closeInTime();
        endpoints.add(endpoint);
    }

    /**
     * Closes an endpoint when UCX has connected it or given up, which the end of a flush shows.
     *
     * @param host of the endpoint that it was made for
     */
    void addUnconnected(UcpEndpoint endpoint, EndpointHost host, UcxRequests requests) {
        endpoint.closeWhenConnected();
        endpoints.add(endpoint);
        UcxRequest request = requests.take(UcxRequest.Kind.LINGER, new Lingering(endpoint, host), null, 0);
        requests.posted(request, Ucp.flush(endpoint.handle(), requests.plain.of(request.index)));
    }

    /** The flush of an endpoint that is not connected. */
    private static final class Lingering implements UcxRequest.Owner {
        private final UcpEndpoint endpoint;
        private final UcxEndpointState state;

        Lingering(UcpEndpoint endpoint, EndpointHost host) {
            this.endpoint = endpoint;
            this.state = new UcxEndpointState(host);
        }

        @Override
        public UcxEndpointState state() {
            return state;
        }

        @Override
        public void ended(UcxRequest request) {
            endpoint.markConnected();
        }
    }

    /** UCX has given up a peer. */
    void giveUp(long handle) {
        for (UcpEndpoint endpoint : endpoints) {
            if (endpoint.handle() == handle) {
                endpoint.markConnected();
            }
        }
    }

    int size() {
        return endpoints.size();
    }

    boolean isEmpty() {
        return endpoints.isEmpty();
    }

    /** Closes the endpoints that may be closed. */
    void progress() {
        endpoints.removeIf(UcpEndpoint::tryClose);
    }
}
