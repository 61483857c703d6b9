package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The RDMA puts whose signals are not sent. Each signal waits for its own flush; flushes end in any order, but signals
 * are sent in the order of their puts.
 */
final class PendingSignals {
    private @Nullable Operation[] puts = new @Nullable Operation[16];
    private boolean[] flushed = new boolean[16];
    /** The turns of the oldest unsent signal, and of the next one. */
    private long oldest;

    private long next;

    boolean isEmpty() {
        return oldest == next;
    }

    /** The number of signals. */
    long taken() {
        return next;
    }

    /** The number of sent signals. */
    long left() {
        return oldest;
    }

    /**
     * Appends a put whose signal may be sent once everything posted so far is visible at the peer.
     *
     * @return its turn, which its flush reports
     */
    long add(Operation put) {
        if (next - oldest == puts.length) {
            grow();
        }
        puts[at(next)] = put;
        flushed[at(next)] = false;
        return next++;
    }

    /** The flush of a turn has ended. */
    void flushed(long turn) {
        if (turn >= oldest) {
            flushed[at(turn)] = true;
        }
    }

    /** Takes the oldest put if its signal may be sent now; else null. */
    @Nullable Operation poll() {
        return oldest < next && flushed[at(oldest)] ? take() : null;
    }

    /** The endpoint has ended, and with it the waiting signals. */
    void cancel() {
        while (oldest < next) {
            take().complete(Status.CANCELLED, 0);
        }
    }

    private Operation take() {
        int at = at(oldest++);
        Operation put = Objects.requireNonNull(puts[at], "put");
        puts[at] = null;
        return put;
    }

    private int at(long turn) {
        return (int) turn & (puts.length - 1);
    }

    private void grow() {
        @Nullable Operation[] oldPuts = puts;
        boolean[] oldFlushed = flushed;
        puts = Arrays.copyOf(oldPuts, oldPuts.length * 2);
        flushed = new boolean[puts.length];
        for (long turn = oldest; turn < next; turn++) {
            int from = (int) turn & (oldPuts.length - 1);
            puts[at(turn)] = oldPuts[from];
            flushed[at(turn)] = oldFlushed[from];
        }
    }
}
