package io.fairlead.pubsub.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ChunkPoolTest {
    private static final int BATCH = 512 << 10;
    /** 1 MiB would be two batches, which is fewer than a region has at least. */
    private static final int IN_A_REGION = 4;

    private final List<FakeRegion> regions = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final ChunkPool pool = new ChunkPool(BATCH, warnings::add);

    private TopicRegion allocate(long bytes) {
        regions.add(new FakeRegion(bytes));
        return new TopicRegion(regions.getLast());
    }

    private List<Chunk> acquire(int count) {
        List<Chunk> chunks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            chunks.add(pool.acquireBatch());
            assertSame(chunks.getLast(), pool.chunk(chunks.getLast().index));
        }
        return chunks;
    }

    @Test
    void shouldCutBatchesOutOfRegionsOnceShared() {
        Chunk own = acquire(1).getFirst();
        assertNull(own.region);
        pool.share(this::allocate);
        List<Chunk> shared = acquire(IN_A_REGION);
        for (int i = 0; i < IN_A_REGION; i++) {
            Chunk chunk = shared.get(i);
            assertNotNull(chunk.region);
            assertEquals(regions.getFirst().segment().address() + chunk.regionOffset, chunk.segment.address());
            assertEquals((long) i * BATCH, chunk.regionOffset);
        }
        assertEquals(1, regions.size());
        pool.recycle(own);
        acquire(1);
        assertEquals(2, regions.size(), "what was outside of regions is not used again");
        assertEquals(List.of(), warnings);
    }

    @Test
    void shouldCloseAnAbandonedRegionWithItsLastBatch() {
        pool.share(this::allocate);
        List<Chunk> chunks = acquire(IN_A_REGION);
        Objects.requireNonNull(chunks.getFirst().region).abandon();
        for (int i = 0; i < IN_A_REGION; i++) {
            assertFalse(regions.getFirst().isClosed());
            pool.recycle(chunks.get(i));
        }
        assertTrue(regions.getFirst().isClosed());
        Chunk other = acquire(1).getFirst();
        assertEquals(2, regions.size());
        pool.recycle(other);
        assertSame(other, acquire(1).getFirst());
    }

    @Test
    void shouldCloseItsRegionsWithTheLog() {
        pool.share(this::allocate);
        Chunk read = acquire(1).getFirst();
        pool.close();
        assertFalse(regions.getFirst().isClosed(), "a batch is in use");
        pool.recycle(read);
        assertTrue(regions.getFirst().isClosed());
    }

    @Test
    void shouldGoOnWithMemoryOfItsOwnWhereThereIsNoneForARegion() {
        pool.share(_ -> {
            throw new FairleadException(Reason.REGISTRATION_FAILED, "no memory");
        });
        assertNull(acquire(1).getFirst().region);
        assertEquals(List.of("subscribers of this host get copies: no memory"), warnings);
        pool.share(this::allocate);
        assertNull(acquire(1).getFirst().region);
        assertEquals(1, warnings.size(), "asked once");
    }
}
