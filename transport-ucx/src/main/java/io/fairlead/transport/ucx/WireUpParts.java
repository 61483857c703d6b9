package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the wire-ups of one worker share.
 *
 * @param own the worker's address
 * @param maker makes endpoints
 * @param matchings with other workers
 * @param queue endpoints that wait for their number
 * @param abandoned endpoints that nobody uses
 * @param portDown which RDMA port has gone down, in words
 */
record WireUpParts(
        WorkerAddress own,
        UcpEndpoint.Maker maker,
        WorkerMatchings matchings,
        MatchingQueue queue,
        AbandonedEndpoints abandoned,
        Supplier<Optional<String>> portDown) {
    /** Refuses to connect by a port that is down. */
    void requirePort(String label) {
        portDown.get().ifPresent(down -> {
            throw new FairleadException(
                    Reason.TRANSPORT, "cannot connect by RDMA: endpoint=" + label + ", cause: " + down);
        });
    }
}
