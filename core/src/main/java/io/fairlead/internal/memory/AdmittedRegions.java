package io.fairlead.internal.memory;

import io.fairlead.spi.RegionProof;
import org.jspecify.annotations.Nullable;

/**
 * The regions for which the peer of one endpoint has sent the proof. It may access these by their ids, and no others. A
 * lookup allocates nothing, and costs one comparison if the peer accesses the same region again. Belongs to the
 * worker's thread.
 */
public final class AdmittedRegions {
    private static final int CAPACITY_MIN = 8;
    /** No region has this id. */
    private static final long NONE = 0;

    private final RegionTable regions;
    /** Open addressing by the random part of the ids, at most half full; the length is a power of two. */
    private long[] ids = {};

    private int used;
    private long last = NONE;

    public AdmittedRegions(RegionTable regions) {
        this.regions = regions;
    }

    /** Checks a proof of the peer; a wrong one is ignored. */
    public void admit(RegionProof proof) {
        CoreRegion region = regions.find(proof.regionId());
        if (region != null && region.isProvedBy(proof)) {
            admit(region);
        }
    }

    /** The peer may access a region without a proof. */
    void admit(CoreRegion region) {
        if (has(region.id())) {
            return;
        }
        if (2 * (used + 1) > ids.length) {
            makeRoom();
        }
        add(region.id());
    }

    /** An open region that the peer may access; null for any other. */
    public @Nullable CoreRegion find(long id) {
        return id == last || has(id) ? regions.find(id) : null;
    }

    private boolean has(long id) {
        if (ids.length == 0 || id == NONE) {
            return false;
        }
        for (int i = place(id); ids[i] != NONE; i = next(i)) {
            if (ids[i] == id) {
                last = id;
                return true;
            }
        }
        return false;
    }

    private void add(long id) {
        int i = place(id);
        while (ids[i] != NONE) {
            i = next(i);
        }
        ids[i] = id;
        used++;
    }

    /** Drops closed regions, and creates a table of at least twice the number of the others. */
    private void makeRoom() {
        long[] before = ids;
        int open = 0;
        for (long id : before) {
            if (id != NONE && regions.find(id) != null) {
                open++;
            }
        }
        ids = new long[Math.max(CAPACITY_MIN, Integer.highestOneBit(open + 1) * 4)];
        used = 0;
        for (long id : before) {
            if (id != NONE && regions.find(id) != null) {
                add(id);
            }
        }
    }

    private int place(long id) {
        return (int) (id >>> RegionTable.INDEX_BITS) & (ids.length - 1);
    }

    private int next(int place) {
        return (place + 1) & (ids.length - 1);
    }
}
