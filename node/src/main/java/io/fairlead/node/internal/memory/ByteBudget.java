package io.fairlead.node.internal.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of all operations of a node that wait. Each {@link ByteLimit} of a peer or set takes its bytes from here in units, so that short
 * operations do not contend for one counter. Thread-safe.
 */
public final class ByteBudget {
    /** A {@link ByteLimit} holds less than this without taking anything from the budget. */
    private static final int UNIT_SHIFT = 16;

    private final long max;
    private final AtomicLong taken = new AtomicLong();

    public ByteBudget(long max) {
        this.max = max;
    }

    long max() {
        return max;
    }

    /**
     * Takes the units that a {@link ByteLimit} needs to grow. Returns false if the budget is used up. An unused budget grants any amount, because
     * one message may be longer than the budget.
     */
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

    /** Takes the units that a {@link ByteLimit} needs to grow, even beyond the budget. */
    void grow(long from, long to) {
        taken.addAndGet(units(to) - units(from));
    }

    /** Returns the units that a {@link ByteLimit} no longer needs. */
    void shrink(long from, long to) {
        long bytes = units(from) - units(to);
        if (bytes != 0) {
            taken.addAndGet(-bytes);
        }
    }

    /** Bytes that are taken. */
    long taken() {
        return taken.get();
    }

    private static long units(long bytes) {
        return bytes >> UNIT_SHIFT << UNIT_SHIFT;
    }
}
