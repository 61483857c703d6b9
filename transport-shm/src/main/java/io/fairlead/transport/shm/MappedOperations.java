package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.CloseSteps;
import io.fairlead.spi.Operation;
import io.fairlead.spi.served.RemoteRequester;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The puts, gets and atomics of an endpoint on mapped memory. Short ones end inside their post. An operation that would
 * take too long inside a post waits: a long put or get moves a slice in each turn of progress, so the worker still
 * serves its peers. Operations posted after it wait too, so everything takes effect in the order of its post. A fence
 * then only has to prevent reordering by the processor.
 *
 * <p>A fence is a release and an acquire: later stores come after earlier puts, and later loads after earlier gets.
 * Each operation that waited is followed by one too, because its copy came after the post of the fence. A flush is a
 * full fence as well: earlier puts are visible to all before any later get. So is an atomic.
 *
 * <p>A fence also orders these operations and the requests of {@link ServedRing}, which the peer serves later. Each of
 * the two ways to the peer's memory keeps its own order.
 */
final class MappedOperations {
    /** Longer puts and gets wait; the others are copied inside their posts. */
    private static final long POST_MAX = 4 << 20;

    private static final long SLICE = 1 << 20;
    /** The maximum number of operations that a turn ends, to limit its length. */
    private static final int TURN_MAX = 64;

    private static final byte PUT = 1;
    private static final byte GET = 2;
    private static final byte ATOMIC = 3;
    private static final byte FLUSH = 4;
    /** The word of a waiting operation: the action above the number of bytes done. */
    private static final int ACTION_SHIFT = 56;

    private static final long DONE_MASK = (1L << ACTION_SHIFT) - 1;

    private final EndpointOwner owner;
    private final RingOutbox outbox;
    private final ServedRing served;
    private final RemoteRequester requester;
    private @Nullable Operation first;
    private @Nullable Operation last;
    /** The number of operations that waited, and the number of them that are done. */
    private long taken;

    private long done;
    /** The number of signals of puts, and the number of sent ones. */
    private long signals;

    private long signalsLeft;
    /** The number of signals, and of operations that waited, before the last fence. */
    private long fencedSignals;

    private long fencedCopies;
    /** Requests before the last fence may be unanswered. */
    private boolean asked;
    /** All operations are requests from now on. */
    private boolean away;

    MappedOperations(EndpointOwner owner, RingOutbox outbox) {
        this.owner = owner;
        this.outbox = outbox;
        this.served = new ServedRing(owner, outbox, this::mayAsk);
        this.requester = served.requester();
    }

    ServedRing served() {
        return served;
    }

    /** Puts without an operation, if no operation waits. */
    boolean tryPut(MappedMemory memory, long at, MemorySegment source, long offset, long length) {
        if (!canCopyNow(length) || !memory.isOpenToWrite()) {
            return false;
        }
        memory.put(at, source, offset, length);
        return true;
    }

    /** Gets without an operation, if no operation waits. */
    boolean tryGet(MappedMemory memory, long at, MemorySegment target, long offset, long length) {
        if (!canCopyNow(length) || !memory.isOpen()) {
            return false;
        }
        memory.get(at, target, offset, length);
        return true;
    }

    private boolean canCopyNow(long length) {
        return mayTouch() && !mustWait(length);
    }

    /**
     * Whether memory may be accessed directly, which overtakes the requester's unanswered requests. Only checked behind
     * a fence: gets need no check.
     */
    private boolean mayTouch() {
        if (asked) {
            asked = away || !requester.isIdle();
        }
        return !asked;
    }

    /** Whether requests may be sent: the signals and the copies before the last fence are done. */
    private boolean mayAsk() {
        return signalsLeft >= fencedSignals && done >= fencedCopies;
    }

    boolean put(MappedMemory memory, Operation operation) {
        if (!mayTouch()) {
            if (away) {
                requester.put(operation);
            }
            return away;
        }
        long length = operation.length();
        if (operation.hasSignal()) {
            signals++;
        }
        if (mustWait(length)) {
            add(operation, PUT);
            return true;
        }
        boolean open = memory.isOpenToWrite();
        if (open) {
            try {
                memory.put(operation, 0, length);
            } catch (IllegalStateException closed) {
                if (operation.hasSignal()) {
                    signalsLeft++;
                }
                throw closed;
            }
        }
        endPut(operation, open);
        return true;
    }

    /** A put is complete, unless the region was not open, which the next flush reports. */
    private void endPut(Operation operation, boolean open) {
        long length = operation.length();
        if (!open) {
            requester.refused();
            if (operation.hasSignal()) {
                signalLeft();
            }
            operation.complete(Status.OK, length);
        } else if (operation.hasSignal()) {
            // The signal's record is released after the data. The put ends when the record is written, so the limit on
            // operations also limits signals.
            outbox.post(operation);
        } else {
            operation.complete(Status.OK, length);
        }
    }

    /** A signal is sent, in order with later records; or never will be, because the put was refused. */
    void signalLeft() {
        signalsLeft++;
        requester.resume();
    }

    boolean get(MappedMemory memory, Operation operation) {
        if (!mayTouch()) {
            if (away) {
                requester.get(operation);
            }
            return away;
        }
        long length = operation.length();
        if (mustWait(length)) {
            add(operation, GET);
            return true;
        }
        boolean open = memory.isOpen();
        if (open) {
            memory.get(operation, 0, length);
        }
        endGet(operation, open);
        return true;
    }

    /** A get is complete, unless the region was not open. */
    private static void endGet(Operation operation, boolean open) {
        operation.complete(open ? Status.OK : Status.REVOKED, open ? operation.length() : 0);
    }

    boolean atomic(MappedMemory memory, Operation operation) {
        if (!mayTouch()) {
            if (away) {
                requester.atomic(operation);
            }
            return away;
        }
        if (mustWait(Long.BYTES)) {
            add(operation, ATOMIC);
        } else {
            change(memory, operation);
        }
        return true;
    }

    private static void change(MappedMemory memory, Operation operation) {
        if (!memory.isOpenToWrite()) {
            operation.complete(Status.REVOKED, 0);
        } else {
            long before = memory.change(
                    operation.atomic(), operation.remoteOffset(), operation.operand(), operation.compare());
            operation.complete(Status.OK, Long.BYTES, before);
        }
    }

    void flush(Operation operation) {
        // Earlier puts are visible to all before later gets.
        VarHandle.fullFence();
        if (first == null) {
            requester.flush(operation);
        } else {
            add(operation, FLUSH);
        }
    }

    void fence() {
        order();
        asked = true;
        fencedSignals = signals;
        fencedCopies = taken;
        requester.fence();
    }

    /** Earlier gets are loaded before later accesses, and earlier puts stored before them. */
    private static void order() {
        VarHandle.acquireFence();
        VarHandle.releaseFence();
    }

    /** Whether an operation is too long for its post, or follows one that was. */
    private boolean mustWait(long length) {
        return length > POST_MAX || first != null;
    }

    private void add(Operation operation, byte action) {
        operation.word = (long) action << ACTION_SHIFT;
        operation.next = null;
        taken++;
        Operation tail = last;
        if (tail == null) {
            first = operation;
            owner.setCopying(true);
        } else {
            tail.next = operation;
        }
        last = operation;
    }

    /**
     * Accesses no memory of the peer from now on: operations that wait become requests, in their order. What has ended
     * is in the peer's memory, and a long copy begins again, which nothing has overtaken.
     */
    void leave() {
        fence();
        away = true;
        for (Operation operation = first; operation != null; operation = first) {
            byte action = (byte) (operation.word >>> ACTION_SHIFT);
            take(operation);
            if (operation.hasSignal() && action == PUT) {
                signalsLeft++;
            }
            requester.fence();
            try {
                ask(operation, action);
            } catch (IllegalStateException closed) {
                owner.failMemoryClosed(closed);
                operation.complete(Status.CANCELLED, 0);
            }
        }
        owner.setCopying(false);
        // Those behind others had to wait until all were taken.
        requester.resume();
    }

    /** Accesses the peer's memory again, once it has answered the requests. */
    void comeBack() {
        away = false;
        asked = true;
    }

    private void ask(Operation operation, byte action) {
        switch (action) {
            case PUT -> requester.put(operation);
            case GET -> requester.get(operation);
            case ATOMIC -> requester.atomic(operation);
            default -> requester.flush(operation);
        }
    }

    /** Whether nothing waits, here or for the peer. */
    boolean isDrained() {
        return first == null && requester.isIdle() && served.isIdle();
    }

    /** Moves a slice, or ends some short operations. */
    int advance() {
        long moved = 0;
        int count = 0;
        for (Operation operation = first;
                operation != null && moved < SLICE && count < TURN_MAX && !owner.hasEnded();
                operation = first) {
            byte action = (byte) (operation.word >>> ACTION_SHIFT);
            count++;
            if (action == FLUSH) {
                // The puts before its fence were not in memory at the post.
                VarHandle.fullFence();
                take(operation);
                requester.flush(operation);
            } else {
                MappedMemory memory = (MappedMemory) operation.remote();
                boolean open = action == PUT ? memory.isOpenToWrite() : memory.isOpen();
                long copied = operation.word & DONE_MASK;
                long part = action == ATOMIC || !open ? 0 : Math.min(operation.length() - copied, SLICE - moved);
                if (!tryCopy(memory, operation, action, part)) {
                    return count;
                }
                moved += part;
                if (open && action != ATOMIC && copied + part < operation.length()) {
                    return count;
                }
                // A fence between this one and the next had nothing to order when it was posted.
                order();
                take(operation);
                end(memory, operation, action, open);
            }
            // Requests behind a fence may have waited for this.
            requester.resume();
        }
        if (first == null) {
            owner.setCopying(false);
        }
        return count;
    }

    private boolean tryCopy(MappedMemory memory, Operation operation, byte action, long part) {
        long copied = operation.word & DONE_MASK;
        try {
            if (part > 0 && action == PUT) {
                memory.put(operation, copied, part);
            } else if (part > 0) {
                memory.get(operation, copied, part);
            }
        } catch (IllegalStateException closed) {
            owner.failMemoryClosed(closed);
            return false;
        }
        operation.word += part;
        return true;
    }

    private void end(MappedMemory memory, Operation operation, byte action, boolean open) {
        switch (action) {
            case PUT -> endPut(operation, open);
            case GET -> endGet(operation, open);
            default -> change(memory, operation);
        }
    }

    private void take(Operation operation) {
        first = operation.next;
        if (first == null) {
            last = null;
        }
        operation.next = null;
        done++;
    }

    /** The endpoint has ended, and with it the waiting operations. */
    void cancel() {
        CloseSteps.runAll(requester::cancel, this::cancelWaiting);
    }

    private void cancelWaiting() {
        for (Operation operation = first; operation != null; operation = first) {
            take(operation);
            operation.complete(Status.CANCELLED, 0);
        }
    }
}
