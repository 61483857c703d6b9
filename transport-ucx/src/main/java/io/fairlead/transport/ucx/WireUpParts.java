package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The shared parts of one worker's wire-ups.
 *
 * @param own the worker's address
 * @param maker creates endpoints
 * @param pairings pairings with other workers
 * @param queue endpoints that wait for their number
 * @param abandoned endpoints that are no longer used
 * @param portDown the RDMA port that has gone down, as text
 */
record WireUpParts(
        WorkerAddress own,
        UcpEndpoint.Maker maker,
        WorkerPairings pairings,
        PairingQueue queue,
        AbandonedEndpoints abandoned,
        Supplier<Optional<String>> portDown) {
    /** Refuses to connect over a port that is down. */
    void requirePort(String label) {
        portDown.get().ifPresent(down -> {
            throw new FairleadException(
                    Reason.TRANSPORT, "cannot connect by RDMA: endpoint=" + label + ", cause: " + down);
        });
    }
}
