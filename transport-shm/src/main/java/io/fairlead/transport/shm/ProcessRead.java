package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Copies another process's memory into this one's by {@code process_vm_readv}: one call and one copy, of any length.
 * Used by one thread.
 */
final class ProcessRead {
    private static final String NAME = "process_vm_readv";
    private static final MethodHandle CALL = Libc.quiet(NAME);

    private final MemorySegment state;
    /** Addresses and lengths, the local ones followed by the remote ones. */
    private final MemorySegment vectors;

    private final long local;
    private final long remote;

    ProcessRead(Arena arena) {
        state = Libc.newState(arena);
        vectors = arena.allocate(JAVA_LONG, 4);
        local = vectors.address();
        remote = local + 2 * JAVA_LONG.byteSize();
    }

    /** Returns the error, and creates an object in each call until it is compiled; made when the first call fails. */
    private static final class Telling {
        static final MethodHandle CALL = Libc.telling(NAME);

        private Telling() {}
    }

    /**
     * Copies.
     *
     * @param process the process, which may have ended
     * @param from an address of that process
     * @param to memory of this process
     * @param offset offset in that memory
     * @param bytes maximum number of bytes
     * @return the number of copied bytes, at least 1; or the negated error number
     * @throws IllegalStateException if the memory was closed; nothing is copied then
     */
    long read(PinnedProcess process, long from, MemorySegment to, long offset, long bytes) {
        long count = read(process.number(), from, to, offset, bytes);
        // Checked after the copy, the result holds for all of it; before the copy, the process could end in between.
        return count > 0 && !process.isAlive() ? -Libc.NO_SUCH_PROCESS : count;
    }

    /** Copies from whatever process has the id. */
    long read(int process, long from, MemorySegment to, long offset, long bytes) {
        vectors.setAtIndex(JAVA_LONG, 0, to.address() + offset);
        vectors.setAtIndex(JAVA_LONG, 1, bytes);
        vectors.setAtIndex(JAVA_LONG, 2, from);
        vectors.setAtIndex(JAVA_LONG, 3, bytes);
        try {
            // The linker keeps the target alive during the call.
            long count = (long) CALL.invokeExact((long) process, local, 1L, remote, 1L, 0L, to);
            if (count < 0) {
                count = (long) Telling.CALL.invokeExact(state, (long) process, local, 1L, remote, 1L, 0L, to);
            }
            return count < 0 ? -Libc.error(state) : count;
        } catch (IllegalStateException closed) {
            throw closed;
        } catch (Throwable impossible) {
            throw Libc.unexpected(impossible);
        }
    }

    /** Whether an error concerns the call itself and not the memory to read. */
    static boolean isForbidden(long error) {
        return error == -Libc.NO_PERMISSION || error == -Libc.NO_SUCH_CALL;
    }

    /** Whether the process lives and has no readable memory at the address. */
    static boolean isUnmapped(long error) {
        return error == -Libc.BAD_ADDRESS;
    }

    /**
     * Tries the call on this process itself: a refusal then comes from a filter, not from ownership.
     *
     * @return the error number; 0 if the call works
     */
    static int attempt() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(JAVA_LONG, 2);
            int self = Math.toIntExact(ProcessHandle.current().pid());
            long count = new ProcessRead(arena)
                    .read(self, words.address(), words, JAVA_LONG.byteSize(), JAVA_LONG.byteSize());
            return count < 0 ? (int) -count : 0;
        }
    }
}
