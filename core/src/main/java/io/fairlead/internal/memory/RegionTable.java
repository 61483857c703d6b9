package io.fairlead.internal.memory;

import io.fairlead.FairleadException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The open regions of a context, found by id without a lock or an allocation. An id is a place in the table under a random
 * number, so that it can neither be guessed nor outlive its region.
 */
public final class RegionTable {
    static final int INDEX_BITS = 20;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;

    private final SecureRandom random = new SecureRandom();
    private final int limit;
    /** Replaced on every change, so that readers need no lock. */
    private volatile @Nullable CoreRegion[] regions = new @Nullable CoreRegion[8];

    private final BitSet taken = new BitSet();

    RegionTable(int limit) {
        this.limit = Math.min(limit, 1 << INDEX_BITS);
    }

    /** Takes a place; the region is found under the returned id only after {@link #open}. */
    synchronized long reserve() {
        if (taken.cardinality() >= limit) {
            throw new FairleadException(
                    FairleadException.Reason.LIMIT_REACHED,
                    "too many memory regions: open=" + limit + ", regions-max=" + limit
                            + "; close regions or raise regions-max");
        }
        int index = taken.nextClearBit(0);
        taken.set(index);
        long high;
        do {
            high = random.nextLong() & ~INDEX_MASK;
        } while (high == 0);
        return high | index;
    }

    /** Makes a region findable. */
    synchronized void open(CoreRegion region) {
        int index = index(region.id());
        @Nullable CoreRegion[] now = regions;
        @Nullable CoreRegion[] changed = Arrays.copyOf(now, Math.max(now.length, Integer.highestOneBit(index | 4) * 2));
        changed[index] = region;
        regions = changed;
    }

    /** Gives a place back, whether or not a region was opened there. */
    synchronized void remove(long id) {
        @Nullable CoreRegion[] changed = regions.clone();
        if (index(id) < changed.length) {
            changed[index(id)] = null;
        }
        regions = changed;
        taken.clear(index(id));
    }

    public @Nullable CoreRegion find(long id) {
        @Nullable CoreRegion[] now = regions;
        int index = index(id);
        if (index >= now.length) {
            return null;
        }
        CoreRegion region = now[index];
        return region != null && region.id() == id ? region : null;
    }

    List<CoreRegion> all() {
        return Arrays.stream(regions)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    private static int index(long id) {
        return (int) (id & INDEX_MASK);
    }
}
