package io.fairlead.cli.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What this process holds of everything that may leak. A figure that the operating system does not tell is 0.
 *
 * @param amounts of each kind
 */
record Holdings(Map<Kind, Long> amounts) {
    /** A kind of things that a process holds, and what more of it is no leak. */
    enum Kind {
        /** The heap's live objects, in KiB. */
        HEAP_KIB(8 << 10),
        /** Resident memory, in KiB; the JVM's own share, compiled code above all, grows for long. */
        RESIDENT_KIB(96 << 10),
        DESCRIPTORS(8),
        THREADS(8),
        MAPPINGS(64),
        /** Names in /dev/shm. They are those of all processes, and so only shown. */
        SEGMENTS(Long.MAX_VALUE);

        private final long noise;

        Kind(long noise) {
            this.noise = noise;
        }

        /** The growth within a run that is no leak yet. */
        long noise() {
            return noise;
        }
    }

    Holdings {
        amounts = Map.copyOf(amounts);
    }

    static Holdings now() {
        System.gc();
        Map<Kind, Long> amounts = new EnumMap<>(Kind.class);
        amounts.put(
                Kind.HEAP_KIB,
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10);
        amounts.put(Kind.RESIDENT_KIB, residentKib());
        amounts.put(Kind.DESCRIPTORS, entries("/proc/self/fd"));
        amounts.put(Kind.THREADS, entries("/proc/self/task"));
        amounts.put(Kind.MAPPINGS, (long) lines("/proc/self/maps").size());
        amounts.put(Kind.SEGMENTS, entries("/dev/shm"));
        return new Holdings(amounts);
    }

    long amount(Kind kind) {
        return amounts.getOrDefault(kind, 0L);
    }

    private static long residentKib() {
        return lines("/proc/self/status").stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }

    private static long entries(String folder) {
        try (Stream<Path> entries = Files.list(Path.of(folder))) {
            return entries.count();
        } catch (IOException | UncheckedIOException untold) {
            return 0;
        }
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file));
        } catch (IOException untold) {
            return List.of();
        }
    }
}
