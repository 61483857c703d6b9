package io.fairlead.spi;

import io.fairlead.Incubating;

/** An endpoint whose transport matches messages with receives by itself. As {@link TransportEndpoint} otherwise. */
@Incubating
public interface MatchingEndpoint extends TransportEndpoint {
    /**
     * Takes a receive for messages of this endpoint alone: in the order in which receives were
     * posted, with messages in the order in which they arrive. The core offers a receive only where no older one is left with it that
     * could match the same message; messages that the transport does not match go to {@link EndpointHost#arrived}. A
     * match is told by {@link EndpointHost#matched}, right before the receive is completed with the message's length.
     *
     * @param receive the receive: {@link Operation#buffer()}, {@link Operation#tag()}, {@link Operation#tagMask()}
     * @return whether it was taken; false lets the core match it
     */
    boolean receive(Operation receive);
}
