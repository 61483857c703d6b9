package io.fairlead.node.internal;

import io.fairlead.ConnectionRequest;
import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.node.Peer;
import java.util.function.Consumer;

/**
 * A connection on its way to the loop that is to have it.
 *
 * @param request the connection
 * @param accepted told of the peer
 * @param loop where its place is taken already
 */
record Handover(ConnectionRequest request, Consumer<Peer> accepted, ProgressLoop loop) implements LoopTask {
    @Override
    public void accept(ProgressLoop on) {
        try {
            Endpoint _ = on.worker().accept(request, new Acceptor(on, accepted, true, this::freePlace));
        } catch (FairleadException refused) {
            // What came too late is answered already.
            refuse(refused);
        } catch (IllegalStateException closing) {
            refuse(Failures.nodeClosed());
        }
    }

    @Override
    public void refuse(FairleadException cause) {
        freePlace();
        if (cause.reason() == Reason.CLOSED) {
            request.reject(Reason.CONNECTION_REFUSED, "the listener's node closes");
        } else {
            request.reject(cause.reason(), String.valueOf(cause.getMessage()));
        }
    }

    private void freePlace() {
        loop.load().decrementAndGet();
    }
}
