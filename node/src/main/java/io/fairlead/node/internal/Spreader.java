package io.fairlead.node.internal;

import io.fairlead.ConnectionRequest;
import io.fairlead.ConnectionRequestHandler;
import io.fairlead.node.Peer;
import java.util.function.Consumer;

/** Gives each connection of a listener to the progress thread of the node that has the fewest. */
record Spreader(NodeEngine node, Consumer<Peer> accepted) implements ConnectionRequestHandler {
    @Override
    public void requested(ConnectionRequest request) {
        ProgressLoop loop = node.leastLoaded();
        // It counts from now on: others that come at the same time go elsewhere.
        loop.load().incrementAndGet();
        Handover handover = new Handover(request, accepted, loop);
        if (loop.isCurrent()) {
            handover.accept(loop);
        } else {
            loop.execute(handover);
        }
    }
}
