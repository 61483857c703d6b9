package io.fairlead.transport.ucx;

import io.fairlead.Status;
import io.fairlead.spi.Operation;
import org.jspecify.annotations.Nullable;

/**
 * What an endpoint does over shared memory that would take too long inside a post: a long put or get moves a slice in each turn of
 * progress, so that the worker is there for its peers meanwhile. What is posted behind it waits here too, so that everything takes
 * effect in the order of its post, and a fence has nothing to do among them.
 */
final class Copies {
    /** Longer puts and gets come here; the others are copied inside their posts, as fast as before there was this. */
    static final long POST_MAX = 4 << 20;

    private static final long SLICE = 1 << 20;
    /** Operations that a turn ends at most, so that many short ones are no long one. */
    private static final int TURN_MAX = 64;

    static final byte PUT = 1;
    static final byte GET = 2;
    static final byte ATOMIC = 3;
    private static final byte FLUSH = 4;
    /** The operation's word is the action above the bytes that are done. */
    private static final int ACTION_SHIFT = 56;

    private static final long DONE_MASK = (1L << ACTION_SHIFT) - 1;

    private final UcxEndpoint endpoint;
    private @Nullable Operation first;
    private @Nullable Operation last;
    /** How many there have been, and how many of them are done. */
    private long taken;

    private long left;

    Copies(UcxEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    boolean isEmpty() {
        return first == null;
    }

    /** How many operations there have been. */
    long taken() {
        return taken;
    }

    /** How many of them are done. */
    long left() {
        return left;
    }

    /** Takes in a put, get or atomic. */
    void add(Operation operation, byte action) {
        operation.word = (long) action << ACTION_SHIFT;
        operation.next = null;
        taken++;
        Operation tail = last;
        if (tail == null) {
            first = operation;
            endpoint.copies(true);
        } else {
            tail.next = operation;
        }
        last = operation;
    }

    /** Takes in a flush behind what is here. */
    void flush(Operation operation) {
        add(operation, FLUSH);
    }

    /** Moves a slice, or ends some short operations. */
    int advance() {
        long moved = 0;
        int count = 0;
        for (Operation operation = first;
                operation != null && moved < SLICE && count < TURN_MAX && !endpoint.ended();
                operation = first) {
            byte action = (byte) (operation.word >>> ACTION_SHIFT);
            long done = operation.word & DONE_MASK;
            long part = action == PUT || action == GET ? Math.min(operation.length() - done, SLICE - moved) : 0;
            MappedMemory memory = action == FLUSH ? null : (MappedMemory) operation.remote();
            boolean open = memory == null || memory.isOpen();
            count++;
            if (memory != null && part > 0 && open) {
                try {
                    memory.copy(operation, action, done, part);
                } catch (IllegalStateException closed) {
                    endpoint.memoryClosed(closed);
                    return count;
                }
                moved += part;
                operation.word += part;
                if (done + part < operation.length()) {
                    return count;
                }
            }
            take(operation);
            end(operation, action, memory, open);
        }
        if (first == null) {
            endpoint.copies(false);
        }
        return count;
    }

    private void end(Operation operation, byte action, @Nullable MappedMemory memory, boolean open) {
        if (memory == null) {
            endpoint.asking().flush(operation);
        } else {
            switch (action) {
                case PUT -> MappedMemory.endPut(endpoint, operation, open);
                case GET -> MappedMemory.endGet(operation, open);
                default -> memory.change(operation);
            }
        }
        // What is asked of the peer behind a fence may have waited for this.
        endpoint.asking().resume();
    }

    private void take(Operation operation) {
        first = operation.next;
        if (first == null) {
            last = null;
        }
        operation.next = null;
        left++;
    }

    /** The endpoint has ended, and with it what waits here. */
    void cancel() {
        for (Operation operation = first; operation != null; operation = first) {
            take(operation);
            operation.complete(Status.CANCELLED, 0);
        }
    }
}
