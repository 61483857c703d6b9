package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One endpoint's puts and gets on mapped memory that are too long for a post. Each turn of progress moves a slice, so
 * the worker still serves its peers. Operations on mapped memory that are posted meanwhile wait behind them, so all take
 * effect in the order of their posts.
 */
final class LongCopies implements DueParts.Part {
    /** What the operations do at their ends. */
    interface Ends {
        /** A put is done: completes it, or sends its signal. */
        void putDone(Operation put, boolean open);

        /** Everything before a flush is done. */
        void flushDue(Operation flush);

        /** A change of a word is due. */
        void changeDue(Operation change, SharedRegion region);

        /** The operations before a fence are done. */
        void fenceDone();

        /** Requests to the peer may have waited for these operations. */
        void resume();
    }

    // The word of a waiting operation: one of these above the number of bytes done.
    static final long PUT = 1L << 56;
    static final long GET = 2L << 56;
    static final long ATOMIC = 3L << 56;
    static final long FLUSH = 4L << 56;

    private static final long DONE_MASK = PUT - 1;

    /** Longer puts and gets wait; the others are copied inside their posts. */
    private static final long POST_MAX = 4 << 20;

    private static final long SLICE = 1 << 20;
    /** The maximum number of operations that a turn ends. */
    private static final int TURN_MAX = 64;

    private final UcxEndpointState state;
    private final DueParts due;
    private final Ends ends;
    private @Nullable Operation first;
    private @Nullable Operation last;
    /** The number of operations that have waited, that are done, and that precede the last fence. */
    private long taken;

    private long done;
    private long fenced;
    /** It is among the due parts. */
    private boolean listed;

    LongCopies(UcxEndpointState state, DueParts due, Ends ends) {
        this.state = state;
        this.due = due;
        this.ends = ends;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** Whether an operation is too long for its post, or follows one that was. */
    boolean mustWait(long length) {
        return length > POST_MAX || first != null;
    }

    void add(Operation operation, long action) {
        operation.word = action;
        operation.next = null;
        taken++;
        Operation tail = last;
        if (tail == null) {
            first = operation;
        } else {
            tail.next = operation;
        }
        last = operation;
        if (!listed) {
            listed = true;
            due.add(this);
        }
    }

    void fence() {
        fenced = taken;
    }

    /** Whether the operations before the last fence are done. */
    boolean mayAsk() {
        return done >= fenced;
    }

    @Override
    public boolean takeTurn() {
        try {
            advance();
        } catch (RuntimeException | Error thrown) {
            state.failThrown(thrown);
        }
        listed = first != null && !state.hasEnded();
        return !listed;
    }

    private void advance() {
        long moved = 0;
        int count = 0;
        for (Operation operation = first;
                operation != null && moved < SLICE && count < TURN_MAX && !state.hasEnded();
                operation = first) {
            count++;
            long left = operation.length() - (operation.word & DONE_MASK);
            if (!tryEnd(operation, SLICE - moved)) {
                return;
            }
            moved += left;
            if (done == fenced) {
                ends.fenceDone();
            }
            ends.resume();
        }
    }

    /** Does an operation; false if it is not done after the given number of bytes. */
    private boolean tryEnd(Operation operation, long bytesMax) {
        long action = operation.word & ~DONE_MASK;
        if (action == FLUSH) {
            remove(operation);
            ends.flushDue(operation);
            return true;
        }
        SharedRegion region = Objects.requireNonNull(((OneSidedMemory) operation.remote()).shared(), "region");
        if (action == ATOMIC) {
            remove(operation);
            ends.changeDue(operation, region);
            return true;
        }
        boolean open = region.isOpen();
        if (open && !tryCopy(region, operation, action, bytesMax)) {
            return false;
        }
        // A fence behind this had nothing to order when it was posted.
        VarHandle.acquireFence();
        VarHandle.releaseFence();
        remove(operation);
        if (action == PUT) {
            ends.putDone(operation, open);
        } else {
            operation.complete(open ? Status.OK : Status.REVOKED, open ? operation.length() : 0);
        }
        return true;
    }

    /** Copies a slice; false if more is left, or the memory is closed. */
    private boolean tryCopy(SharedRegion region, Operation operation, long action, long bytesMax) {
        long copied = operation.word & DONE_MASK;
        long part = Math.min(operation.length() - copied, bytesMax);
        long remote = operation.remoteOffset() + copied;
        long local = operation.offset() + copied;
        try {
            if (action == PUT) {
                region.put(remote, operation.buffer(), local, part);
            } else {
                region.get(remote, operation.buffer(), local, part);
            }
        } catch (IllegalStateException closed) {
            state.failMemoryClosed(closed);
            return false;
        }
        operation.word += part;
        return copied + part == operation.length();
    }

    private void remove(Operation operation) {
        first = operation.next;
        operation.next = null;
        if (first == null) {
            last = null;
        }
        done++;
    }

    /** The endpoint has ended. */
    void cancel() {
        for (Operation operation = first; operation != null; operation = first) {
            remove(operation);
            operation.complete(Status.CANCELLED, 0);
        }
    }
}
