package io.fairlead.transport.ucx;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The {@linkplain EndpointMatching matchings} of one worker with others, for as long as UCX keeps count of their endpoints: to the end of this one. */
final class WorkerMatchings {
    private final long number;
    private final Map<Long, EndpointMatching> byWorker = new HashMap<>();
    /** Those with endpoints that wait for the peer to answer others, made in vain. */
    private final Set<EndpointMatching> held = new LinkedHashSet<>();

    /** One that was forgotten had some. */
    private boolean unmetForgotten;

    /**
     * Makes it empty.
     *
     * @param number what tells this worker from all others
     */
    WorkerMatchings(long number) {
        this.number = number;
    }

    /** What tells this worker from all others. */
    long number() {
        return number;
    }

    /** That with another worker, for one endpoint more; null if it is this one, whose endpoints UCX connects each to itself. */
    @Nullable EndpointMatching acquire(long peer) {
        if (peer == number) {
            return null;
        }
        EndpointMatching matching = byWorker.computeIfAbsent(
                peer, _ -> new EndpointMatching(Long.compareUnsigned(number, peer) < 0, held::add));
        matching.acquire();
        return matching;
    }

    /** An endpoint needs that with another worker no more. */
    void release(long peer, EndpointMatching matching) {
        if (matching.release()) {
            unmetForgotten |= matching.hasUnmet();
            byWorker.remove(peer);
        }
    }

    /** Whether endpoints wait for the time to pass in which a peer answers others. */
    boolean hasHeld() {
        return !held.isEmpty();
    }

    /** Makes those whose time has passed. */
    void progress() {
        // One that goes on may have to wait again.
        for (EndpointMatching matching : List.copyOf(held)) {
            if (matching.tryGoOn()) {
                held.remove(matching);
            }
        }
    }

    /** Whether UCX may have made endpoints by itself that no endpoint here has met. */
    boolean hasUnmet() {
        return unmetForgotten || byWorker.values().stream().anyMatch(EndpointMatching::hasUnmet);
    }

    /** With how many workers there are or were endpoints. */
    int size() {
        return byWorker.size();
    }
}
