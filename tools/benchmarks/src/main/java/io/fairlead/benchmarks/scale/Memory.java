package io.fairlead.benchmarks.scale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What memory this process holds, and what the machine has left. */
final class Memory {
    /** All of the heap is resident from the beginning, so that what becomes resident later is other memory. */
    static final List<String> JVM_OPTIONS =
            List.of("-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch", "-XX:+UseSerialGC", "-XX:MaxDirectMemorySize=2g");

    private static final Path SMAPS = Path.of("/proc/self/smaps_rollup");
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final int COLLECTIONS = 3;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int KIB = 1024;

    private Memory() {}

    /**
     * Bytes that are resident outside the heap, those that several processes share in parts, and bytes of the heap that are used after a few collections.
     * Differences count in a process with {@link #JVM_OPTIONS}.
     *
     * @return empty where the kernel does not tell
     */
    static OptionalLong used() {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            LockSupport.parkNanos(PAUSE_NS);
        }
        long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        OptionalLong resident = field(SMAPS, "Pss:");
        return resident.isPresent() ? OptionalLong.of(resident.getAsLong() + heap) : resident;
    }

    /** Bytes that new work may take without swapping; empty where the kernel does not tell. */
    static OptionalLong available() {
        return field(MEMINFO, "MemAvailable:");
    }

    private static OptionalLong field(Path table, String name) {
        try {
            return Files.readAllLines(table).stream()
                    .filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB)
                    .findFirst();
        } catch (IOException unknown) {
            return OptionalLong.empty();
        }
    }
}
