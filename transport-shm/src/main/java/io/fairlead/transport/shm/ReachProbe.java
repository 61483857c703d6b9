package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * A word of this process that a peer tries to read before long messages are read in the same way. That depends on
 * namespaces, Yama and container filters, so only a try is reliable.
 */
final class ReachProbe implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment word = arena.allocate(JAVA_LONG);
    private final long value = new SecureRandom().nextLong();

    /** Creates a probe, on any thread. */
    ReachProbe() {
        word.set(JAVA_LONG, 0, value);
    }

    long address() {
        return word.address();
    }

    long value() {
        return value;
    }

    /**
     * Tries to read a pinned process: a process that was pinned before the try is certainly the one that was tried.
     *
     * @param expected the word at the address
     * @return 0 if that works, else the error number
     */
    static int read(PinnedProcess process, long address, long expected) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(JAVA_LONG);
            long count = new ProcessRead(arena).read(process, address, word, 0, Long.BYTES);
            if (count < 0) {
                return (int) -count;
            }
            return count == Long.BYTES && word.get(JAVA_LONG, 0) == expected ? 0 : Libc.NO_SUCH_PROCESS;
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
