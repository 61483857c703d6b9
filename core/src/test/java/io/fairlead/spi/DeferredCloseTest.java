package io.fairlead.spi;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DeferredCloseTest {
    @Test
    void shouldCloseAtOnceWhatNobodyUses() {
        Arena arena = Arena.ofShared();
        DeferredClose.close(arena);
        assertFalse(arena.scope().isAlive());
        DeferredClose.close(arena);
    }

    @Test
    void shouldCloseWhenTheLastCallHasReturned() throws Exception {
        Pipe pipe = Pipe.open();
        for (int round = 0; round < 3; round++) {
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(64);
            CompletableFuture<Integer> read = readInto(memory, pipe.source());
            DeferredClose.close(arena);
            DeferredClose.close(arena);
            assertTrue(arena.scope().isAlive(), "closed under a call");
            pipe.sink().write(ByteBuffer.wrap(new byte[] {1}));
            read.get(50, TimeUnit.SECONDS);
            while (arena.scope().isAlive()) {
                Thread.yield();
            }
        }
        pipe.source().close();
        pipe.sink().close();
    }

    @Test
    void shouldRefuseWhatIsConfinedToAnotherThread() {
        try (Arena arena = Arena.ofConfined()) {
            CompletableFuture<Void> other = CompletableFuture.runAsync(
                    () -> assertThrows(WrongThreadException.class, () -> DeferredClose.close(arena)));
            other.join();
            assertTrue(arena.scope().isAlive());
        }
    }

    /** Has a thread wait inside a read into memory. */
    private static CompletableFuture<Integer> readInto(MemorySegment memory, Pipe.SourceChannel source) {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().daemon().start(() -> {
            try {
                done.complete(source.read(memory.asByteBuffer()));
            } catch (IOException | RuntimeException failure) {
                done.completeExceptionally(failure);
            }
        });
        StackTraceElement[] stack = reader.getStackTrace();
        while (!done.isDone() && (stack.length == 0 || !stack[0].isNativeMethod())) {
            Thread.yield();
            stack = reader.getStackTrace();
        }
        assertFalse(done.isDone(), () -> "the read has ended: " + done);
        return done;
    }
}
