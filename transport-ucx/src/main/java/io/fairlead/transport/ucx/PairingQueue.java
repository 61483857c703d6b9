package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayDeque;

/**
 * The endpoints of a worker that wait for their number: the peer has made others in vain before, which this side has to make too and
 * to give up. That is a few in each turn, however many a peer asks for, so that one does not keep the worker from the others.
 */
final class MatchingQueue {
    /** Made in one turn. */
    static final int PER_TURN = 16;
    /** Endpoints that the other side may have made in vain since the last one. */
    private static final int SKIPPED_MAX = 1024;
    /** Endpoints that only UCX has, each until it is connected or a second has passed. */
    private static final int ABANDONED_MAX = 1024;

    private static final class Waiting {
        final EndpointMatching matching;
        final EndpointMatching.Candidate endpoint;
        final long number;
        int skipped;

        Waiting(EndpointMatching matching, EndpointMatching.Candidate endpoint, long number) {
            this.matching = matching;
            this.endpoint = endpoint;
            this.number = number;
        }
    }

    private final AbandonedEndpoints abandoned;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);

    MatchingQueue(AbandonedEndpoints abandoned) {
        this.abandoned = abandoned;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * The other side has made its endpoint of a number, and the one here is about to be made.
     *
     * @return whether it is its turn; if not, it is {@linkplain EndpointMatching.Candidate#met told} in a later turn
     * @throws FairleadException if the numbers do not meet any more
     */
    boolean meet(EndpointMatching matching, EndpointMatching.Candidate endpoint, long number) {
        if (waiting.isEmpty() && matching.tryReach(number, endpoint)) {
            return true;
        }
        waiting.add(new Waiting(matching, endpoint, number));
        return false;
    }

    /** The endpoint is closed. */
    void remove(EndpointMatching.Candidate endpoint) {
        waiting.removeIf(each -> each.endpoint.equals(endpoint));
    }

    /** Makes what is to be made in this turn. */
    int progress() {
        int count = 0;
        while (count < PER_TURN && !waiting.isEmpty() && abandoned.size() < ABANDONED_MAX + PER_TURN) {
            count++;
            Waiting next = waiting.element();
            try {
                if (advance(next)) {
                    waiting.remove();
                    next.endpoint.met();
                }
            } catch (FairleadException refused) {
                waiting.remove(next);
                next.endpoint.fail(refused);
            }
        }
        return count;
    }

    /** Makes one endpoint in vain; true if none is missing. */
    private static boolean advance(Waiting next) {
        if (next.matching.tryReach(next.number, next.endpoint)) {
            return true;
        }
        if (next.skipped++ == SKIPPED_MAX) {
            throw new FairleadException(
                    Reason.TRANSPORT,
                    "the peer has made too many UCX endpoints in vain: endpoint=" + next.endpoint.label() + ", number="
                            + next.number + ", made=" + next.matching.made() + ", allowed at a time " + SKIPPED_MAX
                            + "; connect again");
        }
        next.matching.skip(next.endpoint);
        return false;
    }
}
