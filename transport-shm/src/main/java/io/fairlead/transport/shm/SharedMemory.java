package io.fairlead.transport.shm;

import java.io.IOException;
import java.lang.foreign.Arena;

/** Whether this process can share memory. */
final class SharedMemory {
    static final String REMEDY = "let the container's seccomp profile allow memfd_create, and mount /proc";

    private SharedMemory() {}

    /** Why it cannot share memory even with itself; empty if it can. */
    static String problem() {
        try (MemoryFile file = MemoryFile.create(Long.BYTES, Arena.ofConfined());
                MemoryFile _ = MemoryFile.open(file.key(), Long.BYTES)) {
            return "";
        } catch (IOException refused) {
            return "memory cannot be shared between processes: " + refused.getMessage() + "; " + REMEDY;
        } catch (IllegalCallerException denied) {
            return "native access is denied to the shm transport; start Java with " + NativeAccess.option();
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError | NoClassDefFoundError broken) {
            Throwable root = broken;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return root instanceof IllegalCallerException
                    ? "native access is denied to the shm transport; start Java with " + NativeAccess.option()
                    : "memory cannot be shared between processes: " + root.getMessage()
                            + "; use a C library that has it";
        }
    }
}
