package io.fairlead.node.internal.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class NativePoolTest {
    private static final long LONGEST_KEPT = 1L << 24;

    private final NativePool pool = new NativePool();

    @Test
    void shouldLendAtLeastWhatIsAskedFor() {
        for (long length : new long[] {0, 1, 255, 256, 257, 4096, 4097, LONGEST_KEPT - 1, LONGEST_KEPT}) {
            NativePool.Block block = pool.stage(length);
            assertTrue(block.segment().byteSize() >= length, () -> "length=" + length);
            assertTrue(block.segment().byteSize() <= Math.max(256, 2 * length), () -> "length=" + length);
            assertEquals(0, block.segment().address() % 64);
            block.release();
        }
    }

    @Test
    void shouldLendTheSameMemoryAgain() {
        NativePool.Block first = pool.stage(1000);
        NativePool.Block second = pool.hold(1000);
        assertNotSame(first, second);
        first.release();
        assertEquals(1024, pool.keptBytes());
        assertSame(first, pool.hold(513));
        assertEquals(0, pool.keptBytes());
        assertNotSame(second, pool.hold(1000));
    }

    @Test
    void shouldKeepNoMoreThanItsBound() {
        List<NativePool.Block> blocks = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            blocks.add(pool.stage(1 << 20));
            blocks.add(pool.stage(1 << 21));
            blocks.add(pool.stage(1 << 22));
            blocks.add(pool.stage(1 << 23));
            blocks.add(pool.stage(100));
        }
        blocks.forEach(NativePool.Block::release);
        assertTrue(pool.keptBytes() <= 64L << 20, () -> "kept=" + pool.keptBytes());
        assertTrue(pool.keptBytes() >= 32L << 20, () -> "kept=" + pool.keptBytes());
    }

    @Test
    void shouldFreeLongStagesAtOnceAndLeaveLongMessagesAlone() {
        NativePool.Block stage = pool.stage(LONGEST_KEPT + 1);
        NativePool.Block message = pool.hold(LONGEST_KEPT + 1);
        MemorySegment staged = stage.segment();
        stage.release();
        message.release();
        assertFalse(staged.scope().isAlive());
        assertTrue(message.segment().scope().isAlive());
        assertEquals(0, pool.keptBytes());
    }
}
