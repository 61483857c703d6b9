package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Keeps two UCX endpoints from asking for each other at once. UCX asks the peer for its endpoint's number before the first message that
 * has to be answered: a synchronous or a long one. If both sides ask, and one of them closes its endpoint before it has read the
 * other's question, it makes up a new endpoint to answer with; the other side knows the number already, finds another one in the answer,
 * and a UCX with assertions ends the process (1.13 to 1.18, {@code ucp_ep_update_remote_id}). So only the side that connected asks, by
 * a hello at the start; the other one holds back what would make it ask until it has the hello, behind which it need not.
 */
final class Introduction {
    private final UcxEndpoint endpoint;
    private boolean over;
    private @Nullable Operation first;
    private @Nullable Operation last;

    Introduction(UcxEndpoint endpoint, boolean connector) {
        this.endpoint = endpoint;
        this.over = connector;
    }

    boolean over() {
        return over;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Takes a send that has to wait, and every later one, so that none overtakes another. */
    boolean holds(Operation send) {
        if (first == null
                && !send.synchronous()
                && send.length() <= endpoint.host().eagerMax()) {
            return false;
        }
        send.next = null;
        Operation tail = last;
        if (tail == null) {
            first = send;
        } else {
            tail.next = send;
        }
        last = send;
        return true;
    }

    /**
     * The peer's hello is here.
     *
     * @return false if there was nothing to wait for
     */
    boolean end() {
        if (over) {
            return false;
        }
        over = true;
        Operation send = takeAll();
        while (send != null) {
            Operation following = send.next;
            send.next = null;
            endpoint.sendNow(send);
            send = following;
        }
        endpoint.asking().resume();
        return true;
    }

    /** The endpoint has ended, and so have its sends. */
    void cancel() {
        Operation send = takeAll();
        while (send != null) {
            Operation following = send.next;
            send.next = null;
            send.complete(Status.CANCELLED, 0);
            send = following;
        }
    }

    private @Nullable Operation takeAll() {
        Operation all = first;
        first = null;
        last = null;
        return all;
    }
}
