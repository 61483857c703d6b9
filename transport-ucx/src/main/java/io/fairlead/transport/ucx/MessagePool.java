package io.fairlead.transport.ucx;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * The pool of one worker's transport messages, by capacity: a power of two, or the greatest one. Their memory lives as
 * long as the worker, because UCX may still read from a message whose request was abandoned.
 */
final class MessagePool {
    private static final int SMALLEST_BITS = 8;
    private static final int GREATEST = index(TransportMessage.CAPACITY);

    private final Arena arena;
    /** The last recycled message of each capacity, which refers to the one before. */
    private final @Nullable TransportMessage[] free = new @Nullable TransportMessage[GREATEST + 1];

    MessagePool(Arena arena) {
        this.arena = arena;
    }

    private static int index(int length) {
        return Math.max(0, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(length, 1) - 1) - SMALLEST_BITS);
    }

    /** A message of the greatest capacity. */
    TransportMessage take() {
        return takeOf(GREATEST);
    }

    /** A message of at least the given capacity. */
    TransportMessage take(int length) {
        return takeOf(index(length));
    }

    private TransportMessage takeOf(int index) {
        TransportMessage message = free[index];
        if (message == null) {
            int capacity = index == GREATEST ? TransportMessage.CAPACITY : 1 << (index + SMALLEST_BITS);
            return new TransportMessage(arena, capacity, index);
        }
        free[index] = message.next;
        message.next = null;
        return message;
    }

    void giveBack(TransportMessage message) {
        message.next = free[message.pool];
        free[message.pool] = message;
    }
}
