package io.fairlead.pubsub.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A batch of a topic's log, encoded once and sent from here to every subscriber; or one large message.
 *
 * <p>It is retained by the log while a sender may still have to send from it, and pinned while the transport reads from it.
 */
final class Chunk {
    /** Cache lines are not shared with whatever the allocator put before. */
    private static final int ALIGNMENT = 64;

    /** Its place in the log's table, by which completions find it. */
    final int index;

    final long capacity;
    final MemorySegment segment;
    private final Arena arena = Arena.ofConfined();

    /** What it counts for against the log's bound. */
    long charge;

    long used;
    /** 0 while it holds no message. */
    long firstSequence;

    long lastSequence;
    /** Nothing is appended any more. */
    boolean sealed;
    /** Holds one large message: its frames, and its payload, which travels by itself. */
    boolean large;
    /** Of a large message the bytes before the payload. */
    long headBytes;
    /** Still part of the log. */
    boolean retained;
    /** Senders whose next byte to send is in here. */
    int readers;
    /** Sends in flight from here. */
    int pins;

    @Nullable Chunk next;

    Chunk(int index, long capacity) {
        this.index = index;
        this.capacity = capacity;
        this.segment = arena.allocate(capacity, ALIGNMENT);
    }

    /** Makes it empty, for another life. */
    void reset(long newCharge, boolean forLarge) {
        charge = newCharge;
        used = 0;
        firstSequence = 0;
        lastSequence = 0;
        headBytes = 0;
        sealed = false;
        large = forLarge;
        retained = true;
        readers = 0;
        next = null;
    }

    /** Frees the memory; nothing may be in flight from it. */
    void free() {
        arena.close();
    }
}
