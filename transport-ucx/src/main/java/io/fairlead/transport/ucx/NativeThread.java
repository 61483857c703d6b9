package io.fairlead.transport.ucx;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/** Whether the process may have one more thread. */
final class NativeThread {
    private NativeThread() {}

    /**
     * Starts a thread as UCX starts its own, and ends it. A count of the user's threads could not be compared with the
     * limit: others may run in containers that this process does not see, and a container has its own limit.
     *
     * @return the error number; 0 if threads can be started
     */
    @SuppressWarnings("restricted")
    static int attempt() {
        Linker linker = Linker.nativeLinker();
        SymbolLookup library = linker.defaultLookup();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment thread = arena.allocate(JAVA_LONG);
            // The thread's function: one argument, no effect.
            MemorySegment nothing = library.find("abs").orElseThrow();
            int error = (int) linker.downcallHandle(
                            library.find("pthread_create").orElseThrow(),
                            FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS))
                    .invokeExact(thread, MemorySegment.NULL, nothing, MemorySegment.NULL);
            if (error == 0) {
                int _ = (int) linker.downcallHandle(
                                library.find("pthread_join").orElseThrow(),
                                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, ADDRESS))
                        .invokeExact(thread.get(JAVA_LONG, 0), MemorySegment.NULL);
            }
            return error;
        } catch (Throwable impossible) {
            throw new IllegalStateException("pthread_create threw, which it cannot", impossible);
        }
    }
}
