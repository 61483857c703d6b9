package io.fairlead.spi;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes shared arenas whose memory other threads may be using. The JDK refuses to close an arena while a thread is
 * inside a call on its memory, such as a socket read or a native function, and has no way to wait for it. Thread-safe.
 */
public final class DeferredClose {
    private static final Logger LOG = LoggerFactory.getLogger(DeferredClose.class);

    /** Most calls return within this time. */
    private static final long TRY_NS = 1_000_000;

    private static final long PAUSE_MS = 10;

    /** Arenas whose memory was in use, guarded by the class. */
    private static final List<Arena> WAITING = new ArrayList<>();

    /** The thread that closes them; null while there are none. */
    private static @Nullable Thread closer;

    private DeferredClose() {}

    /**
     * Closes an arena now or, if a thread is inside a call on its memory for more than a millisecond, once that call
     * has returned. A background thread runs while an arena waits. Closing an arena again does nothing.
     *
     * @param arena shared, or confined to the calling thread
     * @throws WrongThreadException if the arena is confined to another thread
     * @throws UnsupportedOperationException if the arena cannot be closed
     */
    public static void close(Arena arena) {
        long startNs = System.nanoTime();
        while (!tryClose(arena)) {
            if (System.nanoTime() - startNs >= TRY_NS) {
                defer(arena);
                return;
            }
            Thread.yield();
        }
    }

    private static boolean tryClose(Arena arena) {
        try {
            arena.close();
            return true;
        } catch (WrongThreadException confined) {
            throw confined;
        } catch (IllegalStateException inUse) {
            return !arena.scope().isAlive();
        }
    }

    private static synchronized void defer(Arena arena) {
        WAITING.add(arena);
        if (closer == null) {
            Thread starting =
                    Thread.ofPlatform().name("fairlead-memory").daemon().unstarted(DeferredClose::run);
            try {
                starting.start();
                closer = starting;
            } catch (OutOfMemoryError noThread) {
                LOG.warn("memory that is in use is freed later, with the next that is closed", noThread);
            }
        }
    }

    private static void run() {
        do {
            try {
                Thread.sleep(PAUSE_MS);
            } catch (InterruptedException ignored) {
                // Nobody interrupts this thread; the memory is still in use.
            }
        } while (isWaiting());
    }

    private static synchronized boolean isWaiting() {
        WAITING.removeIf(DeferredClose::tryClose);
        if (WAITING.isEmpty()) {
            closer = null;
            return false;
        }
        return true;
    }
}
