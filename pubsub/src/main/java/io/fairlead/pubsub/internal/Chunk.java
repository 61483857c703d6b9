package io.fairlead.pubsub.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A batch of a topic's log, encoded once and sent from here to every subscriber; or one large message.
 *
 * <p>It is retained by the log while a sender may still have to send from it, pinned while the transport reads from it, and viewed while
 * subscribers of this host read it where it is.
 */
final class Chunk {
    /** Cache lines are not shared with whatever the allocator put before. */
    private static final int ALIGNMENT = 64;

    /** Its slot in the log's table, by which completions find it. */
    final int index;

    final long capacity;
    final MemorySegment segment;
    /** What it is cut out of; null for memory of its own. */
    final @Nullable LogRegion region;
    /** Where it begins in the region. */
    final long regionOffset;

    private final @Nullable Arena arena;

    /** What it counts for against the log's bound. */
    long charge;

    long used;
    /** 0 while it holds no message. */
    long firstSequence;

    long lastSequence;
    /** Nothing is appended any more. */
    boolean sealed;
    /** Holds one large message, which travels by itself. */
    boolean large;
    /** Still part of the log. */
    boolean retained;
    /** Senders whose next byte is in this chunk. */
    int readers;
    /** Sends in flight from here. */
    int pins;
    /** Subscribers that may still have to read from here. */
    int views;

    @Nullable Chunk next;

    /** Memory of its own. */
    Chunk(int index, long capacity) {
        this.index = index;
        this.capacity = capacity;
        this.region = null;
        this.regionOffset = 0;
        this.arena = Arena.ofConfined();
        this.segment = arena.allocate(capacity, ALIGNMENT);
    }

    /** A part of a region. */
    Chunk(int index, LogRegion region, long regionOffset, long capacity) {
        this.index = index;
        this.capacity = capacity;
        this.region = region;
        this.regionOffset = regionOffset;
        this.arena = null;
        this.segment = region.memory().segment().asSlice(regionOffset, capacity);
    }

    /** Whether its content is no longer needed. */
    boolean isUnused() {
        return pins == 0 && views == 0 && !retained;
    }

    /** Makes it empty, for another life. */
    void reset(long newCharge, boolean forLarge) {
        charge = newCharge;
        used = 0;
        firstSequence = 0;
        lastSequence = 0;
        sealed = false;
        large = forLarge;
        retained = true;
        readers = 0;
        next = null;
    }

    /** Frees the memory; nothing may be in flight from it. */
    void free() {
        if (arena != null) {
            arena.close();
        }
        if (region != null) {
            region.giveBack();
        }
    }
}
