package io.fairlead.transport.ucx;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@linkplain EndpointPairing pairings} of one worker with others, for as long as UCX counts their endpoints: to
 * the end of this worker.
 */
final class WorkerPairings {
    private final long number;
    private final Map<Long, EndpointPairing> byWorker = new HashMap<>();
    /** Pairings with endpoints that wait for the peer's answers to placeholders. */
    private final Set<EndpointPairing> held = new LinkedHashSet<>();

    /** A dropped pairing had some. */
    private boolean pendingDropped;

    /**
     * Creates it empty.
     *
     * @param number identifies this worker among all
     */
    WorkerPairings(long number) {
        this.number = number;
    }

    /** The number that identifies this worker among all. */
    long number() {
        return number;
    }

    /**
     * The pairing with another worker, for one more endpoint; null if it is this one, whose endpoints UCX connects each
     * to itself.
     */
    @Nullable EndpointPairing acquire(long peer) {
        if (peer == number) {
            return null;
        }
        EndpointPairing pairing = byWorker.computeIfAbsent(
                peer, _ -> new EndpointPairing(Long.compareUnsigned(number, peer) < 0, held::add));
        pairing.acquire();
        return pairing;
    }

    /** An endpoint no longer needs the pairing with another worker. */
    void release(long peer, EndpointPairing pairing) {
        if (pairing.release()) {
            pendingDropped |= pairing.hasPending();
            byWorker.remove(peer);
        }
    }

    /** Whether endpoints wait for the time limit of a peer's answers. */
    boolean hasHeld() {
        return !held.isEmpty();
    }

    /** Creates those whose time limit has passed. */
    void progress() {
        // A pairing that goes on may have to wait again.
        for (EndpointPairing pairing : List.copyOf(held)) {
            if (pairing.tryGoOn()) {
                held.remove(pairing);
            }
        }
    }

    /** Whether UCX may have created endpoints by itself that are not paired here. */
    boolean hasPending() {
        return pendingDropped || byWorker.values().stream().anyMatch(EndpointPairing::hasPending);
    }

    /** The number of workers with current or former endpoints. */
    int size() {
        return byWorker.size();
    }
}
