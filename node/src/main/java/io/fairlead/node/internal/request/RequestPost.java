package io.fairlead.node.internal.request;

import io.fairlead.Endpoint;
import io.fairlead.Status;

/** A request, an answer or a cancel on its way to the peer. Belongs to the loop's thread. */
interface RequestPost {
    /**
     * Hands it to the engine.
     *
     * @return a negative status if the engine did not take it; 0 if there is nothing to send any more
     */
    long post(Endpoint endpoint);

    /** Whether it waits if the engine has no capacity. */
    boolean mayWait();

    /** It will not be posted. */
    void notPosted(Status status);
}
