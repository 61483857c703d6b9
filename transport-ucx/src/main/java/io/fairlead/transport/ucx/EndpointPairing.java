package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pairing of the endpoints between this worker and one other. UCX pairs the endpoints of two workers by their order
 * of creation ({@code ucp_ep_match}), and does not know the connections that they belong to. If one side creates an
 * endpoint that the other does not, or the orders differ, ends of different connections are paired. The close of one
 * then breaks another.
 *
 * <p>Therefore one side leads: it creates one endpoint at a time, and sends its number in the first message. The other
 * side then creates its own.
 *
 * <p>UCX keeps its count of a peer's endpoints until the worker ends ({@code ucs_conn_match} frees its peers with the
 * context), and does not report whether the peer's worker still exists. A pairing with counted endpoints therefore
 * stays as long, beside a larger record of UCX's own. A pairing without counted endpoints ends with its last endpoint.
 */
final class EndpointPairing {
    /** An endpoint that is created when its turn comes. */
    interface Candidate {
        /** Whether UCX may create an endpoint; if not, this one has failed. */
        boolean mayBegin();

        /** The leading side's turn, with the number to send to the other side; false if UCX creates no endpoint. */
        boolean begin(int number);

        /** The following side's turn: the endpoints are paired. */
        void paired();

        /** Creates a placeholder: a UCX endpoint that the peer has created too and does not use. */
        void makePlaceholder();

        void fail(FairleadException cause);

        /** The label for failures. */
        String label();
    }

    /**
     * Maximum number of half-created endpoints that are closed in sequence before the next one waits. UCX answers each
     * of them, and the answers must fit this worker's queue (64 messages). A UCX with assertions ends the process if a
     * worker is destroyed while its answer waits for capacity (1.13, {@code ucp_request_send_state_ff}). It waits
     * forever if this worker is gone.
     */
    static final int PLACEHOLDERS_MAX = 16;
    /** A live peer's worker makes progress within this time. */
    private static final long HOLD_NS = TimeUnit.SECONDS.toNanos(1);

    private final boolean leads;
    /** The number of endpoints created here for the other worker. */
    private int made;
    /** The number of open endpoints of the core. */
    private int users;
    /** Created here, and possibly not at the peer. */
    private @Nullable Candidate open;
    /** The number of half-created endpoints closed since the other side last created one. */
    private int placeholders;
    /**
     * The number closed on the following side before the other side has reported their creation: it may have created
     * them anyway.
     */
    private int pending;

    private long placeholdersSinceNs;

    /** Small, because a pairing is kept for every peer for which UCX has created an endpoint. */
    private final ArrayDeque<Candidate> waiting = new ArrayDeque<>(0);

    private final Consumer<EndpointPairing> onHeld;

    /**
     * Creates it empty.
     *
     * @param onHeld notified when endpoints wait that only {@link #tryGoOn} creates
     */
    EndpointPairing(boolean leads, Consumer<EndpointPairing> onHeld) {
        this.leads = leads;
        this.onHeld = onHeld;
    }

    boolean isLeader() {
        return leads;
    }

    /** The leading side's endpoint may be created once none before it is half created. */
    void join(Candidate endpoint) {
        waiting.add(endpoint);
        makeNext();
        reportHeld();
    }

    /** Both sides have created this endpoint, and all before it. */
    void settle(Candidate endpoint) {
        if (endpoint.equals(open)) {
            open = null;
            placeholders = 0;
            makeNext();
        }
    }

    /** The endpoint is closed. If it is half created, the peer's UCX answers it anyway. */
    void abandon(Candidate endpoint) {
        waiting.remove(endpoint);
        if (endpoint.equals(open)) {
            open = null;
            placeholders++;
            placeholdersSinceNs = System.nanoTime();
            makeNext();
            reportHeld();
        }
    }

    /** An endpoint of the following side is closed that was never created. */
    void notePending() {
        pending++;
    }

    /** Whether UCX may have created an endpoint by itself here, to answer one of the other side. */
    boolean hasPending() {
        return pending > 0;
    }

    /**
     * Creates endpoints that waited for the peer's answers to placeholders, if they have waited long enough; returns
     * whether nothing waits for that any more.
     */
    boolean tryGoOn() {
        if (isHeld() && System.nanoTime() - placeholdersSinceNs >= HOLD_NS) {
            placeholders = 0;
        }
        makeNext();
        return waiting.isEmpty() || !isHeld();
    }

    private void reportHeld() {
        if (isHeld() && !waiting.isEmpty()) {
            onHeld.accept(this);
        }
    }

    private boolean isHeld() {
        return placeholders >= PLACEHOLDERS_MAX;
    }

    private void makeNext() {
        while (open == null && !waiting.isEmpty() && !isHeld()) {
            Candidate next = waiting.remove();
            // UCX does not count an endpoint that it was not asked to create.
            if (next.mayBegin()) {
                open = next;
                if (!next.begin(made++)) {
                    open = null;
                }
            }
        }
    }

    /**
     * Whether the other side's endpoint with a number is the next one here, which is then counted. Otherwise those
     * before it must be {@linkplain #skip skipped}.
     *
     * @throws FairleadException if the numbers are inconsistent
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

    /** Creates a placeholder. */
    void skip(Candidate endpoint) {
        made++;
        pending = Math.max(pending - 1, 0);
        endpoint.makePlaceholder();
    }

    int made() {
        return made;
    }

    void acquire() {
        users++;
    }

    /** Whether it may be dropped: no endpoint uses it, and UCX has counted none for the other worker. */
    boolean release() {
        return --users == 0 && made == 0;
    }
}
