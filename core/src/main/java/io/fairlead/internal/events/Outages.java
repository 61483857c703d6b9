package io.fairlead.internal.events;

import io.fairlead.FairleadException.Reason;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Why connections to an address have failed since the last one that was made. Used by the worker's thread.
 *
 * <p>A table of fixed size: an address takes the place of another with the same slot, whose next failure is then new
 * again. So addresses that are never tried again, such as those of containers that have been replaced, keep no memory.
 */
final class Outages {
    private static final int SLOT_BITS = 10;
    /** 2^64 over the golden ratio, which spreads the hashes of neighbours. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;
    /** The low bits of a slot, one for each reason; the others are the address's hash. */
    private static final int REASON_BITS = Reason.values().length;

    /** Made at the first failure. */
    private long @Nullable [] slots;

    /** Returns whether the reason is new for the address. */
    @SuppressWarnings("EnumOrdinal") // A bit of a word that never leaves the process.
    boolean add(InetSocketAddress address, Reason reason) {
        long[] table = slots;
        if (table == null) {
            table = new long[1 << SLOT_BITS];
            slots = table;
        }
        int slot = slotOf(address);
        long known = isOf(address, table[slot]) ? table[slot] : hash(address) << REASON_BITS;
        table[slot] = known | 1L << reason.ordinal();
        return table[slot] != known;
    }

    /** A connection to the address was made. */
    void end(InetSocketAddress address) {
        long[] table = slots;
        if (table != null && isOf(address, table[slotOf(address)])) {
            table[slotOf(address)] = 0;
        }
    }

    private static boolean isOf(InetSocketAddress address, long slot) {
        return slot != 0 && slot >>> REASON_BITS == hash(address);
    }

    private static int slotOf(InetSocketAddress address) {
        return (int) ((hash(address) * SPREAD) >>> (Long.SIZE - SLOT_BITS));
    }

    private static long hash(InetSocketAddress address) {
        return Integer.toUnsignedLong(address.hashCode());
    }
}
