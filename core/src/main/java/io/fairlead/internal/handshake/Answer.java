package io.fairlead.internal.handshake;

import io.fairlead.EndpointHandler;
import io.fairlead.FairleadException.Reason;

/** What a listener's side does with a peer. */
public sealed interface Answer {
    /**
     * An endpoint is made for the peer when it has said who it is and what it wants.
     *
     * @param handler the endpoint's
     */
    record Accept(EndpointHandler handler) implements Answer {}

    /**
     * An endpoint waits for the peer, and fails if the peer does not get through.
     *
     * @param endpoint connecting
     */
    record Connect(HandshakeEndpoint endpoint) implements Answer {}

    /**
     * The peer is refused whatever it says, in clear and before TLS: it must not cost this side an engine and its arithmetic.
     *
     * @param shortage why
     */
    record RefuseAtOnce(String shortage) implements Answer {}

    /**
     * The peer is refused by whoever listens.
     *
     * @param reason for the peer's failure
     * @param message why
     */
    record Refuse(Reason reason, String message) implements Answer {}
}
