package io.fairlead.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The just-in-time compilers of this process. Where every processor has a thread that spins they hardly come to run, and code stays slow for
 * seconds; whoever wants it compiled lets them finish while nobody spins.
 */
public final class Compilers {
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(2);
    /** A compiler that has taken less of a look than this has nothing to do. */
    private static final int RESTING_PART = 20;

    private Compilers() {}

    /** Comes back when they have nothing to do, or after two seconds. */
    public static void awaitRest() {
        long startNs = System.nanoTime();
        long before = takenNs();
        while (System.nanoTime() - startNs < LONGEST_NS) {
            LockSupport.parkNanos(LOOK_NS);
            long now = takenNs();
            if (now - before < LOOK_NS / RESTING_PART) {
                return;
            }
            before = now;
        }
    }

    /** Processor time of compiler threads that are alive. */
    static long takenNs() {
        long taken = 0;
        for (Path thread : threads()) {
            try {
                if (Files.readString(thread.resolve("comm")).contains(" CompilerThre")) {
                    taken += Long.parseLong(
                            Files.readString(thread.resolve("schedstat")).split(" ", 2)[0]);
                }
            } catch (IOException over) {
                // The thread has ended, or this kernel does not count.
            }
        }
        return taken;
    }

    private static List<Path> threads() {
        try (Stream<Path> all = Files.list(THREADS)) {
            return all.toList();
        } catch (IOException none) {
            return List.of();
        }
    }
}
