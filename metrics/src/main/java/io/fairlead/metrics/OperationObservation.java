package io.fairlead.metrics;

import io.fairlead.OperationKind;
import io.fairlead.Peer;
import io.micrometer.observation.Observation;
import java.util.Optional;

/**
 * What an observation of a node's operation is about: for conventions and handlers of an application's own. Not thread-safe, as no
 * context is.
 */
public final class OperationObservation extends Observation.Context {
    private final OperationKind operation;
    private final Optional<Peer> peer;
    private final long length;

    OperationObservation(OperationKind operation, Optional<Peer> peer, long length) {
        this.operation = operation;
        this.peer = peer;
        this.length = length;
    }

    /**
     * What the operation does.
     *
     * @return its kind
     */
    public OperationKind operation() {
        return operation;
    }

    /**
     * Whose it is.
     *
     * @return the peer; empty for a receive from any
     */
    public Optional<Peer> peer() {
        return peer;
    }

    /**
     * The payload.
     *
     * @return bytes; 0 for a receive
     */
    public long length() {
        return length;
    }
}
