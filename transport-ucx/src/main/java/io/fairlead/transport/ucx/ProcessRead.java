package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Copies another process's memory into this one's by {@code process_vm_readv}, the system call behind UCX's transport {@code cma} too. Of one
 * thread.
 */
final class ProcessRead {
    private static final int NO_PERMISSION = 1;
    private static final int NO_SUCH_PROCESS = 3;
    private static final int NO_SUCH_CALL = 38;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO = STATE.byteOffset(PathElement.groupElement("errno"));
    /** Null where there is no such function. */
    private static final @Nullable MethodHandle CALL = call();
    /** Tells errors apart, and makes an object in each call until it is compiled. */
    private static final @Nullable MethodHandle TELLING_CALL = call(Linker.Option.captureCallState("errno"));

    private final MemorySegment state;
    /** Addresses and lengths, the local ones and behind them the remote ones. */
    private final MemorySegment vectors;

    private final long local;
    private final long remote;

    ProcessRead(Arena arena) {
        state = arena.allocate(STATE);
        vectors = arena.allocate(JAVA_LONG, 4);
        local = vectors.address();
        remote = local + 2 * JAVA_LONG.byteSize();
    }

    @SuppressWarnings("restricted")
    private static @Nullable MethodHandle call(Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        // The last one is not the function's, which does not see it: by it the linker keeps the target alive during the
        // call.
        FunctionDescriptor descriptor = FunctionDescriptor.of(
                JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS);
        return linker.defaultLookup()
                .find("process_vm_readv")
                .map(function -> linker.downcallHandle(function, descriptor, options))
                .orElse(null);
    }

    /**
     * Copies.
     *
     * @param process it, and no other that has its number by now
     * @param from an address of that process's
     * @param to memory of this process's
     * @param offset where in it
     * @param bytes how many
     * @return how many were copied, at least 1; or the number of the error, negated
     * @throws IllegalStateException if that memory is not alive any more; nothing is copied then
     */
    long read(PeerProcess process, long from, MemorySegment to, long offset, long bytes) {
        long count = read(process.number(), from, to, offset, bytes);
        // Asked behind the copy, the answer holds for all of it; before it, the process could end in between.
        return count > 0 && !process.alive() ? -NO_SUCH_PROCESS : count;
    }

    /** The same from whatever process has a number. */
    long read(int process, long from, MemorySegment to, long offset, long bytes) {
        MethodHandle call = CALL;
        MethodHandle telling = TELLING_CALL;
        if (call == null || telling == null) {
            return -NO_SUCH_CALL;
        }
        vectors.setAtIndex(JAVA_LONG, 0, to.address() + offset);
        vectors.setAtIndex(JAVA_LONG, 1, bytes);
        vectors.setAtIndex(JAVA_LONG, 2, from);
        vectors.setAtIndex(JAVA_LONG, 3, bytes);
        try {
            long count = (long) call.invokeExact(process, local, 1L, remote, 1L, 0L, to);
            if (count < 0) {
                count = (long) telling.invokeExact(state, process, local, 1L, remote, 1L, 0L, to);
            }
            return count < 0 ? -state.get(JAVA_INT, ERRNO) : count;
        } catch (IllegalStateException closed) {
            throw closed;
        } catch (Throwable impossible) {
            throw new IllegalStateException("process_vm_readv threw, which it cannot", impossible);
        }
    }

    /** Whether an error is about the call and not about what was to be read. */
    static boolean forbidden(long error) {
        return error == -NO_PERMISSION || error == -NO_SUCH_CALL;
    }

    /**
     * Tries the call on this very process: what refuses it then is a filter, not ownership.
     *
     * @return the number of the error; 0 if the call works
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
