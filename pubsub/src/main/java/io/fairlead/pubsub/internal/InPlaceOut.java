package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a stream's subscriber reads in the publisher's memory: the regions that it has mapped, and the batches that it has not read yet. */
final class InPlaceOut {
    /** Shorter ones are copied sooner than they are announced and confirmed. */
    static final int BYTES_MIN = 4096;

    private static final int NONE = -1;

    private final Endpoint endpoint;
    /** The regions that the subscriber knows, by number. The number of a closed region is used again. */
    private @Nullable LogRegion[] regions = new LogRegion[8];
    /** Most batches are where the one before was. */
    private int latest;
    /** The number of the region that it has not answered for. */
    private int offered = NONE;

    private long mappedCount;
    private final ArrayDeque<Chunk> unread = new ArrayDeque<>();
    private long readCount;

    InPlaceOut(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Whether to offer a region now: one at a time, so that a subscriber that maps none is bothered once. */
    boolean mayOffer(LogRegion region) {
        return offered == NONE && number(region) == NONE;
    }

    /**
     * Writes the payload that offers a region.
     *
     * @return its length; 0 if the subscriber cannot have it
     */
    int offer(LogRegion region, MemorySegment target) {
        offered = freeNumber();
        regions[offered] = region;
        byte[] key = key(region);
        int payload = Long.BYTES + key.length;
        if (key.length == 0 || payload > target.byteSize()) {
            return 0;
        }
        target.set(Wire.LONG, 0, offered);
        Wire.putBytes(target, Long.BYTES, key);
        return payload;
    }

    /** The offer could not be sent, and may be made again. */
    void withdraw() {
        regions[offered] = null;
        offered = NONE;
    }

    private byte[] key(LogRegion region) {
        try {
            return region.memory().packedKey(endpoint);
        } catch (FairleadException notForThisOne) {
            return new byte[0];
        }
    }

    private int number(LogRegion region) {
        if (regions[latest] == region) {
            return latest;
        }
        for (int number = 0; number < regions.length; number++) {
            if (regions[number] == region) {
                latest = number;
                return number;
            }
        }
        return NONE;
    }

    private int freeNumber() {
        for (int number = 0; number < regions.length; number++) {
            LogRegion there = regions[number];
            if (there == null || there.isClosed()) {
                return number;
            }
        }
        regions = Arrays.copyOf(regions, regions.length * 2);
        return regions.length / 2;
    }

    /** Whether the subscriber can read a chunk where it is. */
    boolean canRead(Chunk chunk) {
        if (chunk.region == null) {
            return false;
        }
        int number = number(chunk.region);
        return number != NONE && number != offered;
    }

    /** Writes where a batch is into the header of a PLACE. */
    void describe(MemorySegment header, Chunk chunk, long from, long length) {
        header.set(Wire.LONG, Wire.HEAD_BYTES, number(Objects.requireNonNull(chunk.region, "region")));
        header.set(Wire.LONG, Wire.HEAD_BYTES + 8, chunk.regionOffset + from);
        header.set(Wire.LONG, Wire.HEAD_BYTES + 16, length);
    }

    /** The subscriber was sent where a batch is. */
    void placed(Chunk chunk) {
        chunk.views++;
        unread.add(chunk);
    }

    /** Batches that the subscriber has not said that it has read. */
    int unread() {
        return unread.size();
    }

    /** The subscriber's word. */
    void confirm(long mapped, long read, TopicLog log) throws Wire.Malformed {
        long mappedMax = offered == NONE ? mappedCount : mappedCount + 1;
        long readMax = readCount + unread.size();
        if (mapped < mappedCount || mapped > mappedMax || read < readCount || read > readMax) {
            throw new Wire.Malformed("confirmed what it was not told: mapped=" + mapped + ", expected " + mappedCount
                    + " to " + mappedMax + ", read=" + read + ", expected " + readCount + " to " + readMax);
        }
        if (mapped > mappedCount) {
            mappedCount = mapped;
            offered = NONE;
        }
        for (; readCount < read; readCount++) {
            log.endView(unread.remove());
        }
    }

    /** The stream is over on this side. Its subscriber may go on reading the batches that it knows, because nothing there is written again. */
    void abandon(TopicLog log) {
        for (Chunk chunk = unread.poll(); chunk != null; chunk = unread.poll()) {
            Objects.requireNonNull(chunk.region, "region").abandon();
            log.endView(chunk);
        }
    }
}
