package io.fairlead.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EagerPoolTest {
    @Test
    void shouldReuseBlocksAndReturnIdleSlabs() {
        try (EagerPool pool = new EagerPool()) {
            List<EagerPool.Slab> slabs = new ArrayList<>();
            List<Integer> blocks = new ArrayList<>();
            Random random = new Random(1);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 3000; i++) {
                    EagerPool.Slab slab = pool.take(random.nextInt(1 << random.nextInt(17)));
                    slabs.add(slab);
                    blocks.add(slab.taken());
                }
                assertTrue(pool.used() > 0);
                for (int i = 0; i < slabs.size(); i++) {
                    pool.giveBack(slabs.get(i), blocks.get(i));
                }
                slabs.clear();
                blocks.clear();
                assertEquals(0, pool.used());
                assertTrue(pool.allocated() <= 5 << 20, "kept: " + pool.allocated());
            }
        }
    }

    @Test
    void shouldNotHandOutOneBlockTwice() {
        try (EagerPool pool = new EagerPool()) {
            List<MemorySegment> taken = new ArrayList<>();
            for (int i = 0; i < 2000; i++) {
                EagerPool.Slab slab = pool.take(100);
                MemorySegment block = slab.memory().asSlice(slab.offset(slab.taken()), 100);
                taken.forEach(
                        other -> assertTrue(other.asOverlappingSlice(block).isEmpty()));
                if (i % 20 == 0) {
                    taken.add(block);
                }
            }
        }
    }
}
