package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * A word of this process's that a peer tries before a path is chosen: whether it can map a file of this process, and whether it may read this process's
 * memory. What namespaces, file permissions, Yama and a container's filter make of that nobody can work out as surely.
 */
final class ReachProbe implements AutoCloseable {
    static final int SIZE = Long.BYTES;

    private final MemoryFile file;

    private ReachProbe(MemoryFile file) {
        this.file = file;
    }

    /** Makes one, on any thread. */
    static ReachProbe create() throws IOException {
        MemoryFile file = MemoryFile.create(SIZE, Arena.ofShared());
        file.memory().set(JAVA_LONG, 0, new SecureRandom().nextLong());
        return new ReachProbe(file);
    }

    byte[] key() {
        return file.key();
    }

    long address() {
        return file.address();
    }

    /**
     * Tries to map a peer's.
     *
     * @return what is in it
     * @throws IOException why it cannot be
     */
    static long map(byte[] key) throws IOException {
        try (MemoryFile file = MemoryFile.open(key, SIZE)) {
            return file.memory().get(JAVA_LONG, 0);
        }
    }

    /**
     * Tries to read a peer's process.
     *
     * @param expected what is in its probe
     * @return 0 if that works, the number of the error if not
     */
    static int read(byte[] key, long address, long expected) {
        PinnedProcess process = PinnedProcess.open(MemoryFile.process(key));
        if (process == null) {
            return Libc.NO_SUCH_CALL;
        }
        try (process) {
            return read(process, address, expected);
        }
    }

    /** The same of a process that is pinned already: only what was pinned before it was tried is known to be what was tried. */
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
        file.close();
    }
}
