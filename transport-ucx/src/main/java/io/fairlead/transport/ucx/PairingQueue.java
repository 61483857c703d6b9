package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayDeque;

/**
 * The endpoints of a worker that wait for their number: the peer has created placeholders before, which this side must
 * create and abandon too. It creates a few per turn, however many a peer requires, so one peer does not delay the
 * others.
 */
final class PairingQueue {
    /** Maximum number of creations per turn. */
    static final int PER_TURN = 16;
    /** Maximum number of placeholders that the other side may have created since the last endpoint. */
    private static final int SKIPPED_MAX = 1024;
    /** Maximum number of abandoned UCX endpoints, each of which stays until it is connected or a second has passed. */
    private static final int ABANDONED_MAX = 1024;

    private static final class Waiting {
        final EndpointPairing pairing;
        final EndpointPairing.Candidate endpoint;
        final long number;
        int skipped;

        Waiting(EndpointPairing pairing, EndpointPairing.Candidate endpoint, long number) {
            this.pairing = pairing;
            this.endpoint = endpoint;
            this.number = number;
        }
    }

    private final AbandonedEndpoints abandoned;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);

    PairingQueue(AbandonedEndpoints abandoned) {
        this.abandoned = abandoned;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * The other side has created its endpoint with a number, and the one here follows.
     *
     * @return whether its turn has come; if not, {@link EndpointPairing.Candidate#paired} is called in a later turn
     * @throws FairleadException if the numbers are inconsistent
     */
    boolean meet(EndpointPairing pairing, EndpointPairing.Candidate endpoint, long number) {
        if (waiting.isEmpty() && pairing.tryReach(number, endpoint)) {
            return true;
        }
        waiting.add(new Waiting(pairing, endpoint, number));
        return false;
    }

    /** The endpoint is closed. */
    void remove(EndpointPairing.Candidate endpoint) {
        waiting.removeIf(each -> each.endpoint.equals(endpoint));
    }

    /** Creates the endpoints of this turn. */
    int progress() {
        int count = 0;
        while (count < PER_TURN && !waiting.isEmpty() && abandoned.size() < ABANDONED_MAX + PER_TURN) {
            count++;
            Waiting next = waiting.element();
            try {
                if (advance(next)) {
                    waiting.remove();
                    next.endpoint.paired();
                }
            } catch (FairleadException refused) {
                waiting.remove(next);
                next.endpoint.fail(refused);
            }
        }
        return count;
    }

    /** Creates one placeholder; true if none is missing. */
    private static boolean advance(Waiting next) {
        if (next.pairing.tryReach(next.number, next.endpoint)) {
            return true;
        }
        if (next.skipped++ == SKIPPED_MAX) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "the peer has made too many UCX endpoints in vain: endpoint=" + next.endpoint.label() + ", number="
                            + next.number + ", made=" + next.pairing.made() + ", allowed at a time " + SKIPPED_MAX
                            + "; connect again");
        }
        next.pairing.skip(next.endpoint);
        return false;
    }
}
