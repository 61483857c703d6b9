package io.fairlead.testkit.layers;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.Listener;
import io.fairlead.pubsub.Publisher;
import io.fairlead.testkit.contract.Side;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A listener in front of a publisher that can break its subscribers' connections. */
final class PubSubGate implements EndpointHandler {
    private final EndpointHandler behind;
    private final Listener listener;
    private final List<Endpoint> endpoints = new ArrayList<>();

    PubSubGate(Side side, Publisher publisher) {
        behind = publisher.endpointHandler();
        listener = side.worker().listen(PubSubCases.freePort(), this);
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** Connections that were made so far. */
    int connections() {
        return endpoints.size();
    }

    /** Aborts every connection without a graceful close. */
    void sever() {
        endpoints.forEach(Endpoint::abort);
    }

    @Override
    public void connected(Endpoint endpoint) {
        endpoints.add(endpoint);
        behind.connected(endpoint);
    }

    @Override
    public void closed(Endpoint endpoint) {
        behind.closed(endpoint);
    }

    @Override
    public void failed(Endpoint endpoint, FairleadException cause) {
        behind.failed(endpoint, cause);
    }
}
