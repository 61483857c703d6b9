package io.fairlead.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Futexes in shared memory that the kernel marks when the thread that holds them ends, however it ends. It does so
 * before it frees the memory of the thread's process, and long before it closes that process's sockets. It needs no
 * process id and no right, so namespaces, users and filters of system calls do not matter.
 *
 * <p>Each futex has an entry in memory of this process alone, at one distance before it, so no peer can change the list
 * that the kernel follows. It follows 2048 entries: with more futexes the oldest are not marked.
 *
 * <p>Semantics: {@code set_robust_list(2)}. The entries may be changed by any thread, but by one at a time; the thread
 * may end at any moment, so each change is one store.
 */
final class RobustList implements AutoCloseable {
    /** Set by the kernel: the thread has ended. */
    private static final int DIED = 0x4000_0000;

    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final VarHandle WORD = JAVA_LONG.varHandle();
    private static final VarHandle FUTEX = JAVA_INT.varHandle();

    /** In an entry, behind the address of the next one; not the kernel's. */
    private static final long PREVIOUS_AT = Long.BYTES;

    /** In the kernel's {@code struct robust_list_head}, behind the address of the first entry. */
    private static final long DISTANCE_AT = Long.BYTES;

    private static final long HEAD_SIZE = 3 * Long.BYTES;

    private final Arena arena = Arena.ofShared();
    private final long head = arena.allocate(JAVA_LONG, 3).address();
    private final long distance;
    private final int thread = Libc.thread();
    /** The C library's list of this thread, for its mutexes; nothing of this process uses one that is robust. */
    private final long replaced = Libc.robustList();

    /**
     * Creates the list of the calling thread, which also closes it.
     *
     * @param distance from each entry to its futex, in bytes
     * @throws IOException if the kernel has no such lists
     */
    RobustList(long distance) throws IOException {
        this.distance = distance;
        WORD.set(MEMORY, head, head);
        WORD.set(MEMORY, head + DISTANCE_AT, distance);
        long answer = replaced < 0 ? replaced : Libc.setRobustList(head, HEAD_SIZE);
        if (answer < 0) {
            arena.close();
            throw new IOException("set_robust_list: errno=" + -answer);
        }
    }

    /** Whether the kernel has marked a futex. */
    static boolean isMarked(long futex) {
        return ((int) FUTEX.getOpaque(MEMORY, futex) & DIED) != 0;
    }

    /** Adds a futex. */
    void add(long entry) {
        FUTEX.setOpaque(MEMORY, entry + distance, thread);
        long next = (long) WORD.get(MEMORY, head);
        WORD.set(MEMORY, entry, next);
        WORD.set(MEMORY, entry + PREVIOUS_AT, head);
        WORD.setRelease(MEMORY, head, entry);
        if (next != head) {
            WORD.set(MEMORY, next + PREVIOUS_AT, entry);
        }
    }

    /** Removes a futex, which stays unmarked; one that was never added has an entry of zeroes. */
    void remove(long entry) {
        long next = (long) WORD.get(MEMORY, entry);
        long previous = (long) WORD.get(MEMORY, entry + PREVIOUS_AT);
        if (next == 0) {
            return;
        }
        WORD.setRelease(MEMORY, previous, next);
        if (next != head) {
            WORD.set(MEMORY, next + PREVIOUS_AT, previous);
        }
    }

    /** Ends the list: the end of the thread marks nothing. */
    @Override
    public void close() {
        int _ = Libc.setRobustList(replaced, HEAD_SIZE);
        arena.close();
    }
}
