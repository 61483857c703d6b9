package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints between this worker and one other, in the order in which both sides make them. UCX joins the endpoints of two workers by
 * how many each has made for the other before ({@code ucp_ep_match}), and knows nothing of the connections that they are for: where one
 * side makes one that the other does not, or both make theirs in different orders, the ends of different connections are joined, and the close of
 * one breaks another. So one side leads: it makes an endpoint, one at a time, and says in its first message which it
 * is; the other makes its own on that.
 */
final class Pairing {
    /** Endpoints that the other side may have made in vain since the last one. */
    private static final int SKIPPED_MAX = 1024;

    private final UcxWorker worker;
    private final boolean leads;
    /** Made here for the other worker so far. */
    private int made;
    /** Made here, and perhaps not there. */
    private @Nullable Introduction open;

    /** Small, because a pairing is kept for every peer that ever was, as by UCX. */
    private final ArrayDeque<Introduction> waiting = new ArrayDeque<>(0);

    Pairing(UcxWorker worker, boolean leads) {
        this.worker = worker;
        this.leads = leads;
    }

    boolean leads() {
        return leads;
    }

    /** The leading side's endpoint may be made as soon as none before it is half made. */
    void join(Introduction endpoint) {
        waiting.add(endpoint);
        makeNext();
    }

    /** Both sides have made this one, or it is closed. */
    void settled(Introduction endpoint) {
        waiting.remove(endpoint);
        if (open == endpoint) {
            open = null;
            makeNext();
        }
    }

    private void makeNext() {
        while (open == null && !waiting.isEmpty()) {
            Introduction next = waiting.remove();
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
     * The other side has made its endpoint of a number, and the one here is about to be made. Those before it that were never asked for are made too, and
     * given up at once.
     *
     * @throws FairleadException if the numbers do not meet
     */
    void meet(long number, byte[] peerAddress, String label) {
        if (number < made) {
            throw new FairleadException(
                    Reason.PEER_LOST,
                    "the peer has given its UCX endpoint up and made others since: endpoint=" + label + ", number="
                            + number + ", made=" + made);
        }
        for (int skipped = 0; made < number; ) {
            if (skipped++ == SKIPPED_MAX) {
                throw new FairleadException(
                        Reason.TRANSPORT,
                        "the peer has made too many UCX endpoints in vain: endpoint=" + label + ", number=" + number
                                + ", made=" + made + ", allowed at a time " + SKIPPED_MAX + "; connect again");
            }
            made++;
            worker.giveUp(UcpEndpoint.make(worker, peerAddress, 0, label));
        }
        made++;
    }
}
