package io.fairlead.metrics;

import io.fairlead.node.Peer;
import io.fairlead.statistics.OperationKind;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.Propagator;
import io.micrometer.observation.transport.SenderContext;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What an observation of a node's operation is about: for conventions and handlers of an application's own. Not thread-safe, as no
 * context is.
 *
 * <p>What a handler puts into the carrier of a send when the observation starts travels with the message; other operations carry nothing.
 */
public final class OperationObservation extends SenderContext<Map<String, String>> {
    private static final Propagator.Setter<Map<String, String>> NOWHERE = (_, _, _) -> {};
    private static final Propagator.Setter<Map<String, String>> INTO_THE_MAP = (carrier, name, value) -> {
        if (carrier != null) {
            carrier.put(name, value);
        }
    };

    private final OperationKind operation;
    private final Optional<Peer> peer;
    private final long length;

    OperationObservation(OperationKind operation, Optional<Peer> peer, long length) {
        super(operation == OperationKind.SEND ? INTO_THE_MAP : NOWHERE, kind(operation));
        this.operation = operation;
        this.peer = peer;
        this.length = length;
        setCarrier(operation == OperationKind.SEND ? new LinkedHashMap<>() : Map.of());
    }

    private static Kind kind(OperationKind operation) {
        return switch (operation) {
            case SEND -> Kind.PRODUCER;
            case RECEIVE -> Kind.CONSUMER;
            default -> Kind.CLIENT;
        };
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
