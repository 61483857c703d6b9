package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints between this worker and one other, in the order in which both sides make them. UCX joins the endpoints of two workers by
 * how many each has made for the other before ({@code ucp_ep_match}), and knows nothing of the connections that they are for: where one
 * side makes one that the other does not, or both make theirs in different orders, the ends of different connections are joined, and the close of
 * one breaks another. So one side leads: it makes an endpoint, one at a time, and says in its first message which it
 * is; the other makes its own on that.
 *
 * <p>UCX keeps its count of a peer's endpoints until the worker ends ({@code ucs_conn_match} frees its peers with the context), and
 * nothing tells whether the peer's worker is still there. So a matching of which UCX has counted an endpoint stays as long, beside a larger
 * record of UCX's own; one of which it has counted none goes with its last endpoint.
 */
final class EndpointMatching {
    /** An endpoint that is to be made when it is its turn. */
    interface Candidate {
        /** Whether UCX may be asked for an endpoint; if not, this one has failed. */
        boolean mayBegin();

        /** The leading side's turn, with the number that the other side is to be told; false if UCX makes no endpoint. */
        boolean begin(int number);

        /** The following side's turn. */
        void met();

        /** Makes a UCX endpoint that the peer has made too and nobody there uses. */
        void makeInVain();

        void fail(FairleadException cause);

        /** For failures. */
        String label();
    }

    /**
     * Half made endpoints that are closed one after the other before the next one waits. UCX answers each of them, and its answers must have room in the
     * queue of this worker (64 messages): a UCX with assertions ends the process where a worker is destroyed whose answer waits for room (1.13,
     * {@code ucp_request_send_state_ff}), which is for ever where this worker is gone.
     */
    static final int IN_VAIN_MAX = 16;
    /** In which time the peer's worker has made progress, if it does. */
    private static final long HOLD_NS = TimeUnit.SECONDS.toNanos(1);

    private final boolean leads;
    /** Made here for the other worker so far. */
    private int made;
    /** Endpoints of the core's that are open. */
    private int users;
    /** Made here, and perhaps not there. */
    private @Nullable Candidate open;
    /** Closed half made since the other side last made one. */
    private int inVain;
    /** Closed on the following side before the other side has said that it has made them: it may have done so all the same. */
    private int unmet;

    private long inVainSinceNs;

    /** Small, because a matching is kept for every peer for which UCX has made an endpoint. */
    private final ArrayDeque<Candidate> waiting = new ArrayDeque<>(0);

    private final Consumer<EndpointMatching> onHeld;

    /**
     * Makes it empty.
     *
     * @param onHeld notified when endpoints wait that only {@link #tryGoOn} makes
     */
    EndpointMatching(boolean leads, Consumer<EndpointMatching> onHeld) {
        this.leads = leads;
        this.onHeld = onHeld;
    }

    boolean isLeader() {
        return leads;
    }

    /** The leading side's endpoint may be made as soon as none before it is half made. */
    void join(Candidate endpoint) {
        waiting.add(endpoint);
        makeNext();
        tellHeld();
    }

    /** Both sides have made this one, and all before it. */
    void settle(Candidate endpoint) {
        if (endpoint.equals(open)) {
            open = null;
            inVain = 0;
            makeNext();
        }
    }

    /** The endpoint is closed. If it is half made, the peer's UCX answers it all the same. */
    void abandon(Candidate endpoint) {
        waiting.remove(endpoint);
        if (endpoint.equals(open)) {
            open = null;
            inVain++;
            inVainSinceNs = System.nanoTime();
            makeNext();
            tellHeld();
        }
    }

    /** An endpoint of the following side is closed that was never made. */
    void noteUnmet() {
        unmet++;
    }

    /** Whether UCX may have made an endpoint by itself here, to answer one that the other side has made. */
    boolean hasUnmet() {
        return unmet > 0;
    }

    /** Makes what has waited for the peer's answers to endpoints made in vain, if it has waited long enough; whether nothing waits for that any more. */
    boolean tryGoOn() {
        if (isHeld() && System.nanoTime() - inVainSinceNs >= HOLD_NS) {
            inVain = 0;
        }
        makeNext();
        return waiting.isEmpty() || !isHeld();
    }

    private void tellHeld() {
        if (isHeld() && !waiting.isEmpty()) {
            onHeld.accept(this);
        }
    }

    private boolean isHeld() {
        return inVain >= IN_VAIN_MAX;
    }

    private void makeNext() {
        while (open == null && !waiting.isEmpty() && !isHeld()) {
            Candidate next = waiting.remove();
            // What UCX is not asked for it does not count either.
            if (next.mayBegin()) {
                open = next;
                if (!next.begin(made++)) {
                    open = null;
                }
            }
        }
    }

    /**
     * Whether the endpoint that the other side has made under a number is the next one here, which is then counted. Those before it are to be
     * {@linkplain #skip skipped} otherwise.
     *
     * @throws FairleadException if the numbers do not meet any more
     */
    boolean tryReach(long number, Candidate endpoint) {
        if (number < made) {
            throw new FairleadException(
                    Reason.PEER_LOST,
                    "the peer has given its UCX endpoint up and made others since: endpoint=" + endpoint.label()
                            + ", number=" + number + ", made=" + made);
        }
        if (number > made) {
            return false;
        }
        made++;
        return true;
    }

    /** Makes an endpoint in vain. */
    void skip(Candidate endpoint) {
        made++;
        unmet = Math.max(unmet - 1, 0);
        endpoint.makeInVain();
    }

    int made() {
        return made;
    }

    void acquire() {
        users++;
    }

    /** Whether it may be forgotten: no endpoint uses it, and UCX has counted none for the other worker. */
    boolean release() {
        return --users == 0 && made == 0;
    }
}
