package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A memory region of a topic's log, cut into batches, which subscribers of the same host read where they are. It closes with its last batch. */
final class LogRegion {
    private final MemoryRegion region;
    private final byte[] packedKey;
    private int batches;
    private boolean abandoned;
    private boolean closed;

    /**
     * Wraps a region.
     *
     * @param batches into how many the log cuts it
     */
    LogRegion(MemoryRegion region, int batches) {
        this.region = region;
        this.batches = batches;
        try {
            this.packedKey = region.packedKey();
        } catch (FairleadException noKey) {
            region.close();
            throw noKey;
        }
    }

    MemorySegment segment() {
        return region.segment();
    }

    MemoryRegion region() {
        return region;
    }

    /** The key for any subscriber. */
    byte[] packedKey() {
        return packedKey;
    }

    /** A subscriber has gone that may still be reading: nothing here is written again. */
    void abandon() {
        abandoned = true;
    }

    boolean isAbandoned() {
        return abandoned;
    }

    boolean isClosed() {
        return closed;
    }

    /** The log needs one of its batches no more. What subscribers have mapped they keep. */
    void giveBack() {
        batches--;
        if (batches == 0) {
            closed = true;
            region.close();
        }
    }
}
