package io.fairlead.transport.ucx;

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
