package io.fairlead.node.internal;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that a node keeps for operations that wait, whoever they are for. Each {@link ByteRoom} of a peer or set takes its bytes from here in units, so that short operations
 * do not all meet at one counter. Thread-safe.
 */
final class ByteBudget {
    /** What a room may hold without taking anything from the budget. */
    private static final int UNIT_SHIFT = 16;

    private final long max;
    private final AtomicLong taken = new AtomicLong();

    ByteBudget(long max) {
        this.max = max;
    }

    long max() {
        return max;
    }

    /** Takes the units that a room needs to grow; false if there is no room. A first taker always gets what it asks for, because one message may be longer than the budget. */
    boolean tryGrow(long from, long to) {
        long bytes = units(to) - units(from);
        if (bytes == 0) {
            return true;
        }
        long now = taken.get();
        while (now == 0 || now + bytes <= max) {
            if (taken.compareAndSet(now, now + bytes)) {
                return true;
            }
            now = taken.get();
        }
        return false;
    }

    /** Takes the units that a room needs to grow, whether or not there is room. */
    void grow(long from, long to) {
        taken.addAndGet(units(to) - units(from));
    }

    /** Gives back the units that a room needs no more. */
    void shrink(long from, long to) {
        long bytes = units(from) - units(to);
        if (bytes != 0) {
            taken.addAndGet(-bytes);
        }
    }

    /** Bytes that rooms have taken. */
    long taken() {
        return taken.get();
    }

    private static long units(long bytes) {
        return bytes >> UNIT_SHIFT << UNIT_SHIFT;
    }
}
