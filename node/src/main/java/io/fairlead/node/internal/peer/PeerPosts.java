package io.fairlead.node.internal.peer;

import io.fairlead.Endpoint;
import io.fairlead.Status;
import io.fairlead.node.BackPressure;
import io.fairlead.node.internal.context.ContextOutlet;
import io.fairlead.node.internal.loop.NodeSettings;
import io.fairlead.node.internal.loop.ProgressLoop;
import java.util.ArrayDeque;
import java.util.Deque;

/** Posts the operations of one peer in the order of their calls, and queues operations that must wait. Belongs to the loop's thread. */
final class PeerPosts {
    private final ProgressLoop loop;
    private final NodePeer peer;
    private final NodeSettings settings;
    private final ContextOutlet outlet;
    /** Operations that wait for a connection, or for capacity in the engine. */
    private final Deque<PeerOperation<?>> waiting = new ArrayDeque<>();

    PeerPosts(NodePeer peer) {
        this.loop = peer.loop();
        this.peer = peer;
        this.settings = loop.group().settings();
        this.outlet = new ContextOutlet(loop.group().pool());
    }

    /** Begins anew, on another connection. */
    void connected(int peerFeatures) {
        outlet.connected(peerFeatures);
    }

    /** Whether both sides of the connection know the frames of contexts. */
    boolean carryContexts() {
        return outlet.agreed();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Lets an operation wait, behind all others. */
    void add(PeerOperation<?> operation) {
        waiting.add(operation);
    }

    /** Posts an operation, unless others wait. Returns false if it is the first one that has to wait. */
    boolean tryPost(PeerOperation<?> operation, Endpoint connection) {
        if (!waiting.isEmpty()) {
            waiting.add(operation);
            return true;
        }
        if (post(operation, connection)) {
            return true;
        }
        waiting.add(operation);
        return false;
    }

    /** Posts what waits. Returns true if nothing is left. */
    boolean retry(Endpoint connection) {
        while (!waiting.isEmpty() && post(waiting.element(), connection)) {
            waiting.remove();
        }
        return waiting.isEmpty();
    }

    /** Posts or ends the operation. Returns false if it has to wait. */
    private boolean post(PeerOperation<?> operation, Endpoint connection) {
        long posted;
        try {
            posted = operation instanceof SendOperation send
                    ? outlet.post(send, connection)
                    : operation.post(connection);
        } catch (Throwable thrown) {
            peer.releasePermit();
            operation.fail(loop, thrown);
            return true;
        }
        if (posted == Endpoint.BACK_PRESSURE && settings.backPressure() == BackPressure.WAIT) {
            return false;
        }
        if (posted < 0) {
            leave(operation, Status.of(posted));
            return true;
        }
        peer.releasePermit();
        if (posted > 0) {
            loop.posted(operation);
        } else {
            operation.finish(loop);
        }
        return true;
    }

    /** Ends an operation that will not be posted. */
    void leave(PeerOperation<?> operation, Status status) {
        peer.releasePermit();
        operation.fail(status);
    }

    /** Ends what waits. */
    void failAll(Status status) {
        for (PeerOperation<?> operation = waiting.poll(); operation != null; operation = waiting.poll()) {
            leave(operation, status);
        }
    }
}
