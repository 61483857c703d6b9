package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import java.net.InetSocketAddress;

/** A connection that a server channel has accepted, and that its child channel is to answer. */
interface AcceptedPeer {
    /** Where the peer connects from. */
    InetSocketAddress remoteAddress();

    /** Has the child's loop carry the connection. */
    Endpoint accept(LoopWorker loop, EndpointHandler handler);

    /** Refuses it. Callable from any thread. */
    void reject();
}
