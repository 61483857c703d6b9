package io.fairlead.cli.measure;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** What this process takes of the machine: heap, processors, and the work of its just-in-time compilers. */
public final class Jvm {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(2);
    /** A compiler that used less than this part of the interval is idle. */
    private static final int IDLE_PART = 20;

    private Jvm() {}

    /** Heap bytes that the calling thread has allocated. */
    public static long allocated() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }

    /** Processor time of all threads since the process began. */
    public static long processorNs() {
        return SYSTEM.getProcessCpuTime();
    }

    /**
     * Waits until the compilers are idle, at most two seconds. Where every processor has a thread that spins, compilers hardly run and code
     * stays slow for seconds; so they finish while nobody spins.
     */
    public static void awaitCompilers() {
        long startNs = System.nanoTime();
        long before = compilersNs();
        while (System.nanoTime() - startNs < LONGEST_NS) {
            LockSupport.parkNanos(LOOK_NS);
            long now = compilersNs();
            if (now - before < LOOK_NS / IDLE_PART) {
                return;
            }
            before = now;
        }
    }

    /** Processor time of compiler threads that are alive. */
    static long compilersNs() {
        long taken = 0;
        for (Path thread : threads()) {
            try {
                if (Files.readString(thread.resolve("comm")).contains(" CompilerThre")) {
                    taken += Long.parseLong(
                            Files.readString(thread.resolve("schedstat")).split(" ", 2)[0]);
                }
            } catch (IOException ended) {
                // The thread has ended, or this kernel does not count.
            }
        }
        return taken;
    }

    private static List<Path> threads() {
        try (Stream<Path> all = Files.list(TASKS)) {
            return all.toList();
        } catch (IOException none) {
            return List.of();
        }
    }
}
