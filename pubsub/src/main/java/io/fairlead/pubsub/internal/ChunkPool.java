package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a topic's log. They are used again, the last freed first because the processor still has it in its caches. Once a subscriber of this
 * host could read batches where they are, new ones are cut out of memory regions.
 */
final class ChunkPool {
    /** Free chunks of large messages that are kept; more are given back to the system. */
    private static final int FREE_LARGE_MAX = 4;

    private static final long REGION_BYTES = 1 << 20;
    private static final int REGION_BATCHES_MIN = 4;

    private final int batchBytes;
    private final Consumer<String> warnings;
    private final ArrayDeque<Chunk> freeBatches = new ArrayDeque<>();
    private final ArrayList<Chunk> freeLarge = new ArrayList<>();
    private @Nullable Chunk[] table = new Chunk[16];
    /** Allocates regions; null while chunks have memory of their own. */
    private @Nullable LongFunction<TopicRegion> memory;
    /** There was no memory for a region. */
    private boolean refused;

    private boolean closed;

    /**
     * Makes it empty.
     *
     * @param warnings called if regions cannot be allocated
     */
    ChunkPool(int batchBytes, Consumer<String> warnings) {
        this.batchBytes = batchBytes;
        this.warnings = warnings;
    }

    /** The chunk of that index; it must be in use. */
    Chunk chunk(int index) {
        Chunk chunk = table[index];
        if (chunk == null) {
            throw new IllegalStateException("no chunk of that index: index=" + index);
        }
        return chunk;
    }

    /** From now on batches are in regions. */
    void share(LongFunction<TopicRegion> allocator) {
        if (memory == null && !refused && !closed) {
            memory = allocator;
            freeBatches.forEach(this::drop);
            freeBatches.clear();
        }
    }

    /** A chunk for a batch. */
    Chunk acquireBatch() {
        Chunk free = freeBatches.poll();
        if (free == null && memory != null) {
            addRegion(memory);
            free = freeBatches.poll();
        }
        return free != null ? free : add(new Chunk(freeIndex(), batchBytes));
    }

    private void addRegion(LongFunction<TopicRegion> allocator) {
        int batches = Math.max(REGION_BATCHES_MIN, (int) (REGION_BYTES / batchBytes));
        LogRegion region;
        try {
            region = new LogRegion(allocator.apply((long) batches * batchBytes), batches);
        } catch (FairleadException noMemory) {
            memory = null;
            refused = true;
            warnings.accept("subscribers of this host get copies: " + noMemory.getMessage());
            return;
        }
        for (int i = batches - 1; i >= 0; i--) {
            freeBatches.push(add(new Chunk(freeIndex(), region, (long) i * batchBytes, batchBytes)));
        }
    }

    Chunk acquireLarge(long bytes) {
        for (int i = freeLarge.size() - 1; i >= 0; i--) {
            if (freeLarge.get(i).capacity >= bytes) {
                return freeLarge.remove(i);
            }
        }
        if (!freeLarge.isEmpty()) {
            // All that are kept are too small. The oldest is replaced by the one that is requested now.
            drop(freeLarge.removeFirst());
        }
        // A power of two, so that messages of about the same size find it again.
        return add(new Chunk(freeIndex(), Math.max(64, Long.highestOneBit(bytes - 1) << 1)));
    }

    private int freeIndex() {
        int index = 0;
        while (index < table.length && table[index] != null) {
            index++;
        }
        if (index == table.length) {
            table = Arrays.copyOf(table, table.length * 2);
        }
        return index;
    }

    private Chunk add(Chunk chunk) {
        table[chunk.index] = chunk;
        return chunk;
    }

    /** The chunk is no longer needed. */
    void recycle(Chunk chunk) {
        if (chunk.large) {
            if (!closed && freeLarge.size() < FREE_LARGE_MAX) {
                freeLarge.add(chunk);
                return;
            }
        } else if (mayReuse(chunk)) {
            freeBatches.push(chunk);
            return;
        }
        drop(chunk);
    }

    private boolean mayReuse(Chunk chunk) {
        LogRegion region = chunk.region;
        return !closed && (region == null ? memory == null : !region.isAbandoned());
    }

    private void drop(Chunk chunk) {
        table[chunk.index] = null;
        chunk.free();
    }

    /** Whether a send is in flight from a chunk that holds a message up to this sequence number. */
    boolean isInFlight(long sequence) {
        for (Chunk chunk : table) {
            if (chunk != null && chunk.pins > 0 && chunk.firstSequence <= sequence) {
                return true;
            }
        }
        return false;
    }

    /** Frees what is free, and from now on what becomes free. */
    void close() {
        closed = true;
        CloseSteps.runAll(
                () -> CloseSteps.runEach(freeBatches, this::drop),
                freeBatches::clear,
                () -> CloseSteps.runEach(freeLarge, this::drop),
                freeLarge::clear);
    }
}
