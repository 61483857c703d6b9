package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;

/**
 * A word of this process that a peer accesses before a path is chosen. It shows whether the peer can map a file of this
 * process, and whether it may read this process's memory. That depends on namespaces, file permissions, Yama and
 * container filters, so only a try is reliable.
 */
final class ReachProbe implements AutoCloseable {
    static final int SIZE = Long.BYTES;

    private final MemoryFile file;

    private ReachProbe(MemoryFile file) {
        this.file = file;
    }

    /** Creates a probe, on any thread. */
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
     * Tries to map a peer's probe.
     *
     * @return the mapped word
     * @throws IOException why it cannot be mapped
     */
    static long map(byte[] key) throws IOException {
        try (MemoryFile file = MemoryFile.open(key, SIZE)) {
            return file.memory().get(JAVA_LONG, 0);
        }
    }

    /**
     * Tries to read a peer's process.
     *
     * @param expected the word in its probe
     * @return 0 if that works, else the error number
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

    /** Tries to read a pinned process: a process that was pinned before the try is certainly the one that was tried. */
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
