package io.fairlead.transport.shm;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The processes of a worker's peers, by their numbers, and the call that reads them. Of one thread. */
final class PinnedProcesses {
    private final Arena arena = Arena.ofConfined();
    private final ProcessRead memory = new ProcessRead(arena);
    private final Map<Integer, PinnedProcess> processes = new HashMap<>();

    ProcessRead memory() {
        return memory;
    }

    /** The process of a number, for one endpoint more; null if it cannot be told from a later one of that number. */
    @Nullable PinnedProcess acquire(int number) {
        PinnedProcess known = processes.get(number);
        if (known == null || !known.isAlive()) {
            known = PinnedProcess.open(number);
            if (known == null) {
                return null;
            }
            processes.put(number, known);
        }
        known.acquire();
        return known;
    }

    /** An endpoint needs its peer's process no more. */
    void release(@Nullable PinnedProcess process) {
        if (process != null && process.release()) {
            processes.remove(process.number(), process);
            process.close();
        }
    }

    void close() {
        arena.close();
    }
}
