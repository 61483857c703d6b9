package io.fairlead.spi;

import io.fairlead.Incubating;

/** A {@link TransportEndpoint} whose transport matches messages with receives itself, such as UCX does. */
@Incubating
public interface MatchingEndpoint extends TransportEndpoint {
    /**
     * Takes a receive for messages of this endpoint. The transport matches the receives in the order in which it was given them, with messages in the
     * order in which they arrive. It reports a match by {@link EndpointHost#matched} and then completes the receive with the message's length. A
     * message that matches none of them goes to {@link EndpointHost#arrived}. The core offers a receive here only if it holds no older one that
     * could match the same message.
     *
     * @param receive the receive: {@link Operation#buffer()}, {@link Operation#tag()}, {@link Operation#tagMask()}
     * @return whether the transport takes it; if false, the core matches it
     */
    boolean receive(Operation receive);
}
