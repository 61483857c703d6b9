package io.fairlead.internal.memory;

import io.fairlead.FairleadException;
import java.security.SecureRandom;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The open regions of a context, found by id without a lock or an allocation. An id combines an index in the table with
 * a random number. It can therefore neither be guessed nor outlive its region.
 */
public final class RegionTable {
    static final int INDEX_BITS = 20;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int PLACES_MIN = 8;

    private final SecureRandom random = new SecureRandom();
    private final int limit;
    /** Replaced when it grows; its slots change while threads read them without a lock. */
    private volatile AtomicReferenceArray<@Nullable CoreRegion> regions = new AtomicReferenceArray<>(PLACES_MIN);

    private final BitSet taken = new BitSet();
    private int takenCount;
    /** Every slot before it is in use. */
    private int firstFree;

    RegionTable(int limit) {
        this.limit = Math.min(limit, 1 << INDEX_BITS);
    }

    /** Reserves a slot; the region is found under the returned id only after {@link #open}. */
    synchronized long reserve() {
        if (takenCount == limit) {
            throw new FairleadException(
                    FairleadException.Reason.LIMIT_REACHED,
                    "too many memory regions: open=" + limit + ", regions-max=" + limit
                            + "; close regions or raise regions-max");
        }
        int index = taken.nextClearBit(firstFree);
        taken.set(index);
        takenCount++;
        firstFree = index + 1;
        long high;
        do {
            high = random.nextLong() & ~INDEX_MASK;
        } while (high == 0);
        return high | index;
    }

    /** Makes a region findable. */
    synchronized void open(CoreRegion region) {
        int index = index(region.id());
        if (index >= regions.length()) {
            grow(Integer.highestOneBit(index) * 2);
        }
        regions.setRelease(index, region);
    }

    private void grow(int places) {
        AtomicReferenceArray<@Nullable CoreRegion> now = regions;
        AtomicReferenceArray<@Nullable CoreRegion> larger = new AtomicReferenceArray<>(places);
        for (int i = 0; i < now.length(); i++) {
            larger.setPlain(i, now.getPlain(i));
        }
        regions = larger;
    }

    /** Frees a slot, whether or not a region was opened there. */
    synchronized void remove(long id) {
        int index = index(id);
        if (!taken.get(index)) {
            return;
        }
        if (index < regions.length()) {
            regions.setRelease(index, null);
        }
        taken.clear(index);
        takenCount--;
        firstFree = Math.min(firstFree, index);
    }

    public @Nullable CoreRegion find(long id) {
        AtomicReferenceArray<@Nullable CoreRegion> now = regions;
        int index = index(id);
        CoreRegion region = index < now.length() ? now.getAcquire(index) : null;
        return region != null && region.id() == id ? region : null;
    }

    List<CoreRegion> all() {
        AtomicReferenceArray<@Nullable CoreRegion> now = regions;
        return IntStream.range(0, now.length())
                .mapToObj(now::getAcquire)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    private static int index(long id) {
        return (int) (id & INDEX_MASK);
    }
}
