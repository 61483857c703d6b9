package io.fairlead.transport.ucx;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * The pool of one worker's transport messages, by capacity: a power of two, or the greatest one. Their memory lives as
 * long as the worker, because UCX may still read from a message whose request was abandoned.
 */
final class MessagePool {
    private static final int SMALLEST_BITS = 8;
    private static final int GREATEST_BITS = bits(TransportMessage.CAPACITY);

    private final Arena arena;
    private final List<List<TransportMessage>> free = new ArrayList<>();

    MessagePool(Arena arena) {
        this.arena = arena;
        for (int bits = SMALLEST_BITS; bits <= GREATEST_BITS; bits++) {
            free.add(new ArrayList<>());
        }
    }

    private static int bits(int length) {
        return Math.max(SMALLEST_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(length, 1) - 1));
    }

    /** A message of the greatest capacity. */
    TransportMessage take() {
        return take(TransportMessage.CAPACITY);
    }

    /** A message of at least the given capacity. */
    TransportMessage take(int length) {
        int bits = bits(length);
        List<TransportMessage> of = free.get(bits - SMALLEST_BITS);
        return of.isEmpty()
                ? new TransportMessage(arena, bits == GREATEST_BITS ? TransportMessage.CAPACITY : 1 << bits)
                : of.removeLast();
    }

    void giveBack(TransportMessage message) {
        free.get(bits((int) message.memory.byteSize()) - SMALLEST_BITS).add(message);
    }
}
