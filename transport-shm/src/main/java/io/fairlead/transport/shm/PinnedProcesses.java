package io.fairlead.transport.shm;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The processes of a worker's peers, by their ids, and the call that reads them. Used by one thread. */
final class PinnedProcesses {
    private final Arena arena = Arena.ofConfined();
    private final ProcessRead memory = new ProcessRead(arena);
    private final Map<Integer, PinnedProcess> processes = new HashMap<>();

    ProcessRead memory() {
        return memory;
    }

    /**
     * The process at the other end of a socket, for one more endpoint; null if it cannot be distinguished from a later
     * one with its id.
     */
    @Nullable PinnedProcess acquire(LocalSocket socket, LocalSocket.Credentials peer) {
        PinnedProcess known = processes.get(peer.process());
        if (known == null || !known.isAlive()) {
            known = PinnedProcess.open(socket, peer);
            if (known == null) {
                return null;
            }
            processes.put(known.number(), known);
        }
        known.acquire();
        return known;
    }

    /** An endpoint no longer needs its peer's process. */
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
