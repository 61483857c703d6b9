package io.fairlead.spi;

import io.fairlead.Incubating;

/** A {@link TransportEndpoint} whose transport matches messages with receives itself, as UCX does. */
@Incubating
public interface MatchingEndpoint extends TransportEndpoint {
    /**
     * Takes a receive for messages of this endpoint. The transport matches receives in the order of these calls, with
     * messages in the order of their arrival. It reports a match by {@link EndpointHost#matched} and then completes the
     * receive with the message's length. It reports an unmatched message by {@link EndpointHost#arrived}. The core
     * offers a receive here only if it holds no older one that could match the same message.
     *
     * @param receive the receive: {@link Operation#buffer()}, {@link Operation#tag()}, {@link Operation#tagMask()}
     * @return whether the transport takes it; if false, the core matches it
     */
    boolean receive(Operation receive);
}
