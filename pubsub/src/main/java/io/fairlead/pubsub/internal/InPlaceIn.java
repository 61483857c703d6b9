package io.fairlead.pubsub.internal;

import io.fairlead.Endpoint;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.RemoteKey;
import io.fairlead.pubsub.internal.Wire.Malformed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The publisher's memory in which a stream's batches are read, and the reports that the publisher gets. */
final class InPlaceIn {
    /** Regions of one log at a time. */
    private static final int REGIONS_MAX = 1 << 16;
    /** While more batches wait, so many are confirmed at once. */
    private static final int STEP = 4;

    /** A region that is mapped, and how many batches in it have arrived and are not read. */
    static final class Region {
        private final RemoteKey key;
        private final MemorySegment memory;
        private int unread;

        private Region(RemoteKey key, MemorySegment memory) {
            this.key = key;
            this.memory = memory;
        }

        MemorySegment memory() {
            return memory;
        }
    }

    private final Endpoint endpoint;
    /** By the publisher's numbers. */
    private @Nullable Region[] regions = new Region[0];

    private long mapped;
    private long mappedTold;
    private long read;
    private long readTold;

    InPlaceIn(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /** Maps a region that the publisher offers, if that can be; another of this number is over. */
    void map(MemorySegment segment, long at, long payload) throws Malformed {
        if (payload <= Long.BYTES) {
            throw new Malformed("offer of a region is too short: length=" + payload + " bytes");
        }
        long number = segment.get(Wire.LONG, at);
        if (number < 0 || number >= REGIONS_MAX) {
            throw new Malformed("number of a region is out of range: number=" + number + ", limit=" + REGIONS_MAX);
        }
        RemoteKey key;
        try {
            key = endpoint.unpack(
                    segment.asSlice(at + Long.BYTES, payload - Long.BYTES).toArray(ValueLayout.JAVA_BYTE));
        } catch (FairleadException unusable) {
            if (unusable.reason() == Reason.MALFORMED_KEY) {
                throw new Malformed(String.valueOf(unusable.getMessage()));
            }
            // Without an answer the publisher goes on to send copies.
            return;
        }
        Optional<MemorySegment> memory = key.mapped();
        if (memory.isEmpty()) {
            key.close();
            return;
        }
        put((int) number, new Region(key, memory.get()));
        mapped++;
    }

    private void put(int number, Region region) throws Malformed {
        if (number >= regions.length) {
            regions = Arrays.copyOf(regions, Math.max(8, Integer.highestOneBit(number) * 2));
        }
        Region before = regions[number];
        if (before != null) {
            if (before.unread > 0) {
                region.key.close();
                throw new Malformed(
                        "region is replaced before it was read: number=" + number + ", batches=" + before.unread);
            }
            before.key.close();
        }
        regions[number] = region;
    }

    /**
     * A batch has arrived in a region.
     *
     * @param length of the batch there, checked like what a peer says
     */
    Region arrived(long number, long offset, long length) throws Malformed {
        Region region = number >= 0 && number < regions.length ? regions[(int) number] : null;
        if (region == null) {
            throw new Malformed("batch is in no region: number=" + number);
        }
        long size = region.memory.byteSize();
        if (offset < 0 || (offset & 7) != 0 || length > size || offset > size - length) {
            throw new Malformed(
                    "batch leaves its region: offset=" + offset + ", length=" + length + ", region=" + size + " bytes");
        }
        region.unread++;
        return region;
    }

    /** A batch has been read. */
    void countRead(Region region) {
        region.unread--;
        read++;
    }

    /** Reports to the publisher: soon if nothing else is to be read, else from time to time. False if a report is due and has to wait. */
    boolean tryReport(ControlSender sender, boolean isMoreReady) {
        long unreported = read - readTold;
        if (mapped == mappedTold && (unreported == 0 || (isMoreReady && unreported < STEP))) {
            return true;
        }
        if (!sender.idle() || !sender.send(Wire.READ, mapped, read)) {
            return false;
        }
        mappedTold = mapped;
        readTold = read;
        return true;
    }

    /** Lets go of the publisher's memory. */
    void retire() {
        for (Region region : regions) {
            if (region != null) {
                region.key.close();
            }
        }
        regions = new Region[0];
    }
}
