package io.fairlead.internal.handshake;

import io.fairlead.ConnectionRequestHandler;
import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException.Reason;
import java.net.InetSocketAddress;

/** A listener's decision about a peer. */
public sealed interface Answer {
    /**
     * An endpoint is created for the peer after its hello.
     *
     * @param handler the endpoint's handler
     */
    record Accept(EndpointHandler handler) implements Answer {}

    /**
     * A handler decides, unless the peer goes on with an earlier connection.
     *
     * @param listener where the peer has connected
     * @param handler gets the connection request, with what the peer has sent so far
     */
    record Ask(InetSocketAddress listener, ConnectionRequestHandler handler) implements Answer {}

    /**
     * An endpoint exists and waits for the peer; it fails if the handshake fails.
     *
     * @param endpoint the connecting endpoint
     */
    record Connect(HandshakeEndpoint endpoint) implements Answer {}

    /**
     * The peer is refused regardless of its hello, unencrypted and before TLS: it must not cost this side a TLS engine
     * and its computation.
     *
     * @param shortage the missing resource
     */
    record RefuseAtOnce(String shortage) implements Answer {}

    /**
     * The listener's handler refuses the peer.
     *
     * @param reason for the peer's failure
     * @param message the explanation
     */
    record Refuse(Reason reason, String message) implements Answer {}
}
