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

/** The system call behind UCX's transport {@code cma}, tried on this very process: what refuses it is a filter, not ownership. */
final class ProcessRead {
    private static final int NO_SUCH_CALL = 38;

    private ProcessRead() {}

    /** The number of the error; 0 if the call works. */
    @SuppressWarnings("restricted")
    static int attempt() {
        Linker linker = Linker.nativeLinker();
        StructLayout state = Linker.Option.captureStateLayout();
        MemorySegment function = linker.defaultLookup().find("process_vm_readv").orElse(MemorySegment.NULL);
        if (function.equals(MemorySegment.NULL)) {
            return NO_SUCH_CALL;
        }
        MethodHandle call = linker.downcallHandle(
                function,
                FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG),
                Linker.Option.captureCallState("errno"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(state);
            MemorySegment local = vector(arena, arena.allocate(JAVA_LONG));
            MemorySegment remote = vector(arena, arena.allocate(JAVA_LONG));
            int self = Math.toIntExact(ProcessHandle.current().pid());
            long count = (long) call.invokeExact(errno, self, local, 1L, remote, 1L, 0L);
            return count < 0 ? errno.get(JAVA_INT, state.byteOffset(PathElement.groupElement("errno"))) : 0;
        } catch (Throwable impossible) {
            throw new IllegalStateException("process_vm_readv threw, which it cannot", impossible);
        }
    }

    private static MemorySegment vector(Arena arena, MemorySegment word) {
        MemorySegment vector = arena.allocate(2 * ADDRESS.byteSize(), ADDRESS.byteAlignment());
        vector.set(ADDRESS, 0, word);
        vector.set(JAVA_LONG, ADDRESS.byteSize(), word.byteSize());
        return vector;
    }
}
