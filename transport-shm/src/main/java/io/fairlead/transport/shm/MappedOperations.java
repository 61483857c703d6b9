package io.fairlead.transport.shm;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import io.fairlead.spi.served.RemoteRequester;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The puts, gets and atomics of an endpoint on memory that is mapped here. Short ones have ended when their post returns. What would take too
 * long inside a post waits: a long put or get moves a slice in each turn of progress, so that the worker is there for its peers
 * meanwhile, and what is posted behind it waits too, so that everything takes effect in the order of its post, and a fence has nothing to do
 * among them but to keep the processor from changing that order.
 *
 * <p>A fence is a release and an acquire: nothing behind it is stored before what was put, and nothing is loaded before what was got. Behind each
 * operation that waited there is one too, since the post of the fence came before the copy. A flush is a
 * full fence as well, so that what was put before it is visible to all before anything behind it is got; and so is an atomic.
 */
final class MappedOperations {
    /** Longer puts and gets wait; the others are copied inside their posts, as fast as before there was this. */
    private static final long POST_MAX = 4 << 20;

    private static final long SLICE = 1 << 20;
    /** Operations that a turn ends at most, so that many short ones are no long one. */
    private static final int TURN_MAX = 64;

    private static final byte PUT = 1;
    private static final byte GET = 2;
    private static final byte ATOMIC = 3;
    private static final byte FLUSH = 4;
    /** The word of an operation that waits is the action above the bytes that are done. */
    private static final int ACTION_SHIFT = 56;

    private static final long DONE_MASK = (1L << ACTION_SHIFT) - 1;

    private final EndpointOwner owner;
    private final RingOutbox outbox;
    private final RemoteRequester requester;
    private final Fences fences;
    private @Nullable Operation first;
    private @Nullable Operation last;
    /** How many have waited, and how many of them are done. */
    private long taken;

    private long done;

    MappedOperations(EndpointOwner owner, RingOutbox outbox, RemoteRequester requester, Fences fences) {
        this.owner = owner;
        this.outbox = outbox;
        this.requester = requester;
        this.fences = fences;
    }

    /** Puts without an operation, if nothing is in the way. */
    boolean tryPut(MappedMemory memory, long at, MemorySegment source, long offset, long length) {
        if (!canCopyNow(memory, length)) {
            return false;
        }
        memory.put(at, source, offset, length);
        return true;
    }

    /** Gets without an operation, if nothing is in the way. */
    boolean tryGet(MappedMemory memory, long at, MemorySegment target, long offset, long length) {
        if (!canCopyNow(memory, length)) {
            return false;
        }
        memory.get(at, target, offset, length);
        return true;
    }

    private boolean canCopyNow(MappedMemory memory, long length) {
        return fences.mayTouch(requester) && !mustWait(length) && memory.isOpen();
    }

    boolean put(MappedMemory memory, Operation operation) {
        if (!fences.mayTouch(requester)) {
            return false;
        }
        long length = operation.length();
        if (operation.hasSignal()) {
            fences.addSignal();
        }
        if (mustWait(length)) {
            add(operation, PUT);
            return true;
        }
        boolean open = memory.isOpen();
        if (open) {
            try {
                memory.put(operation, 0, length);
            } catch (IllegalStateException closed) {
                if (operation.hasSignal()) {
                    fences.removeSignal();
                }
                throw closed;
            }
        }
        endPut(operation, open);
        return true;
    }

    /** All of a put is there, unless the region was not open, which the next flush tells. */
    private void endPut(Operation operation, boolean open) {
        long length = operation.length();
        if (!open) {
            requester.refused();
            if (operation.hasSignal()) {
                signalLeft();
            }
            operation.complete(Status.OK, length);
        } else if (operation.hasSignal()) {
            // The record of the signal is released behind the data. The put ends when that has left, so that the bound
            // on operations bounds
            // signals too.
            outbox.post(operation);
        } else {
            operation.complete(Status.OK, length);
        }
    }

    /** A signal is on its way, in order with what is sent from now on; or never will be, because the put was refused. */
    void signalLeft() {
        fences.removeSignal();
        requester.resume();
    }

    boolean get(MappedMemory memory, Operation operation) {
        if (!fences.mayTouch(requester)) {
            return false;
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

    /** All of a get is here, unless the region was not open. */
    private static void endGet(Operation operation, boolean open) {
        operation.complete(open ? Status.OK : Status.REVOKED, open ? operation.length() : 0);
    }

    boolean atomic(MappedMemory memory, Operation operation) {
        if (!fences.mayTouch(requester)) {
            return false;
        }
        if (mustWait(Long.BYTES)) {
            add(operation, ATOMIC);
        } else {
            change(memory, operation);
        }
        return true;
    }

    private static void change(MappedMemory memory, Operation operation) {
        if (!memory.isOpen()) {
            operation.complete(Status.REVOKED, 0);
        } else {
            long before = memory.change(
                    operation.atomic(), operation.remoteOffset(), operation.operand(), operation.compare());
            operation.complete(Status.OK, Long.BYTES, before);
        }
    }

    void flush(Operation operation) {
        // What was put is in the memory of all before anything is got from it behind this.
        VarHandle.fullFence();
        if (first == null) {
            requester.flush(operation);
        } else {
            add(operation, FLUSH);
        }
    }

    void fence() {
        order();
        fences.fence(taken);
        requester.fence();
    }

    /** What was got is loaded before what follows, and what was put is stored before it. */
    private static void order() {
        VarHandle.acquireFence();
        VarHandle.releaseFence();
    }

    /** Whether an operation is too long for its post, or is behind one that was. */
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

    /** Whether nothing waits. */
    boolean isEmpty() {
        return first == null;
    }

    /** How many operations that waited are done. */
    long done() {
        return done;
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
                // What its post fenced was not in the memory yet.
                VarHandle.fullFence();
                take(operation);
                requester.flush(operation);
            } else {
                MappedMemory memory = (MappedMemory) operation.remote();
                boolean open = memory.isOpen();
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
            // What is asked of the peer behind a fence may have waited for this.
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

    /** The endpoint has ended, and with it what waits here. */
    void cancel() {
        for (Operation operation = first; operation != null; operation = first) {
            take(operation);
            operation.complete(Status.CANCELLED, 0);
        }
    }
}
