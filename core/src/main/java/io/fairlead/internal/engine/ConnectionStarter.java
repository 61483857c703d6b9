package io.fairlead.internal.engine;

import io.fairlead.ConnectionRequest;
import io.fairlead.ConnectionRequestHandler;
import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Listener;
import io.fairlead.PathPolicy;
import io.fairlead.internal.config.Settings;
import io.fairlead.internal.handshake.HandshakeEndpoint;
import io.fairlead.internal.net.SocketConnection;
import io.fairlead.internal.tls.ContextSecurity;
import java.net.InetSocketAddress;
import java.util.Objects;

/** Begins the listeners and endpoints that the application opens: connecting ones and accepted requests. */
final class ConnectionStarter {
    /** The endpoints of the worker. */
    interface Endpoints {
        /** Whether the worker has begun to close. */
        boolean isClosing();

        /** Whether the limit of endpoints is reached. */
        boolean isFull();

        /** Adds a connecting endpoint. */
        HandshakeEndpoint add(InetSocketAddress peer, EndpointHandler handler);
    }

    private final Context context;
    private final Settings settings;
    private final ContextSecurity security;
    private final Handshakes handshakes;
    private final Endpoints endpoints;

    ConnectionStarter(
            Context context, Settings settings, ContextSecurity security, Handshakes handshakes, Endpoints endpoints) {
        this.context = context;
        this.settings = settings;
        this.security = security;
        this.handshakes = handshakes;
        this.endpoints = endpoints;
    }

    Listener listen(InetSocketAddress address, EndpointHandler handler) {
        Objects.requireNonNull(handler, "handler");
        requireOpen("listens on no more addresses");
        check("listen", address);
        return handshakes.listen(address, handler);
    }

    Listener listen(InetSocketAddress address, ConnectionRequestHandler handler) {
        Objects.requireNonNull(handler, "handler");
        requireOpen("listens on no more addresses");
        check("listen", address);
        return handshakes.listen(address, handler);
    }

    Endpoint accept(ConnectionRequest request, EndpointHandler handler) {
        Objects.requireNonNull(handler, "handler");
        CoreConnectionRequest known = CoreConnectionRequest.of(context, request);
        requireOpen("accepts no more connection requests");
        // Check the limit first: take no request without an endpoint, and create no endpoint for a request that is
        // gone.
        requireRoom();
        SocketConnection peer = known.take();
        HandshakeEndpoint endpoint;
        try {
            endpoint = endpoints.add(known.remoteAddress(), handler);
        } catch (Throwable thrown) {
            SocketConnection.close(peer.channel());
            known.leave();
            throw thrown;
        }
        handshakes.accept(known, peer, endpoint);
        return endpoint.endpoint();
    }

    Endpoint connect(InetSocketAddress address, PathPolicy policy, EndpointHandler handler) {
        Objects.requireNonNull(policy, "policy");
        Objects.requireNonNull(handler, "handler");
        requireOpen("makes no more connections");
        check("connect", address);
        requireRoom();
        HandshakeEndpoint endpoint = endpoints.add(OwnAddress.of(address), handler);
        handshakes.connect(endpoint, policy, OwnAddress.of(address));
        return endpoint.endpoint();
    }

    /**
     * Refuses calls of handlers and completions that run while the worker closes: nothing would end what they begin.
     */
    private void requireOpen(String refusal) {
        if (endpoints.isClosing()) {
            throw new IllegalStateException("worker is closing; it " + refusal);
        }
    }

    private void check(String doing, InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new FairleadException(
                    Reason.UNKNOWN_HOST,
                    "host does not resolve: host=" + address.getHostString() + "; check the name or use an address");
        }
        security.checkAddress(doing, address);
    }

    private void requireRoom() {
        if (endpoints.isFull()) {
            throw new FairleadException(
                    Reason.LIMIT_REACHED,
                    "too many endpoints on this worker: endpoints-max=" + settings.endpointsMax()
                            + "; close some or use another worker");
        }
    }
}
