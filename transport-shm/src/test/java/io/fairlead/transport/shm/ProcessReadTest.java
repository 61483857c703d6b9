package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Reading another process's memory; here it is this process itself. */
class ProcessReadTest {
    private static final int SELF = Math.toIntExact(ProcessHandle.current().pid());

    @Test
    void shouldReadIntoPlaceOfSegment() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(16);
            source.set(ValueLayout.JAVA_LONG, 8, 42);
            MemorySegment target = arena.allocate(32);
            assertEquals(8, new ProcessRead(arena).read(SELF, source.address() + 8, target, 16, 8));
            assertEquals(42, target.get(ValueLayout.JAVA_LONG, 16));
            assertEquals(0, target.get(ValueLayout.JAVA_LONG, 8));
            assertEquals(0, target.get(ValueLayout.JAVA_LONG, 24));
        }
    }

    @Test
    void shouldNotReadIntoClosedMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(16);
            ProcessRead reads = new ProcessRead(arena);
            Arena shared = Arena.ofShared();
            MemorySegment closed = shared.allocate(16);
            shared.close();
            assertThrows(IllegalStateException.class, () -> reads.read(SELF, source.address(), closed, 0, 16));
        }
    }

    @Test
    void shouldKeepMemoryOpenDuringItsCall() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            long length = 64 << 20;
            MemorySegment source = arena.allocate(length);
            Arena closing = Arena.ofShared();
            MemorySegment target = closing.allocate(length);
            ProcessRead reads = new ProcessRead(arena);
            Thread closer = Thread.ofPlatform().start(() -> {
                while (closing.scope().isAlive()) {
                    try {
                        closing.close();
                    } catch (IllegalStateException inUse) {
                        Thread.yield();
                    }
                }
            });
            // Each call copies all that it says or finds the memory closed; none finds it gone half-way.
            boolean alive = true;
            while (alive) {
                try {
                    long count = reads.read(SELF, source.address(), target, 0, length);
                    assertTrue(count > 0, () -> "errno=" + -count);
                } catch (IllegalStateException closed) {
                    alive = false;
                }
            }
            closer.join();
        }
    }
}
