package io.fairlead.transport.ucx;

import java.util.ArrayList;
import java.util.List;

/** Endpoints of one worker that UCX has and nobody uses, each until it may be closed. */
final class AbandonedEndpoints {
    private final List<UcpEndpoint> endpoints = new ArrayList<>();

    /** Closes an endpoint when UCX has connected it, or has had the time to. */
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

    /** Closes what may be closed. */
    void progress() {
        endpoints.removeIf(UcpEndpoint::tryClose);
    }
}
