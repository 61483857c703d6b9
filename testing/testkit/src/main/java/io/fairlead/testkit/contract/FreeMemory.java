package io.fairlead.testkit.contract;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What this machine and this process have of memory, as far as Linux reports it. */
final class FreeMemory {
    private static final long KIB = 1024;
    private static final long MIB = 1 << 20;

    private FreeMemory() {}

    /** Skips the case, visibly, where the memory that it needs is not there or nobody knows. */
    static void require(long bytes) {
        OptionalLong available = available();
        assumeTrue(
                available.isPresent() && available.getAsLong() >= bytes,
                () -> "needs " + bytes / MIB + " MiB of free memory, has "
                        + (available.isPresent() ? available.getAsLong() / MIB + " MiB" : "an unknown amount"));
    }

    /** Bytes of this process that are in memory now; empty if the operating system does not report them. */
    static OptionalLong resident() {
        return kibibytes(Path.of("/proc/self/status"), "VmRSS:");
    }

    private static OptionalLong available() {
        OptionalLong host = kibibytes(Path.of("/proc/meminfo"), "MemAvailable:");
        OptionalLong limit = number(Path.of("/sys/fs/cgroup/memory.max"));
        OptionalLong used = number(Path.of("/sys/fs/cgroup/memory.current"));
        if (host.isEmpty() || limit.isEmpty() || used.isEmpty()) {
            return host;
        }
        return OptionalLong.of(Math.min(host.getAsLong(), limit.getAsLong() - used.getAsLong()));
    }

    private static OptionalLong kibibytes(Path file, String name) {
        try {
            for (String line : Files.readAllLines(file)) {
                if (line.startsWith(name)) {
                    return OptionalLong.of(Long.parseLong(line.replaceAll("\\D", "")) * KIB);
                }
            }
        } catch (IOException e) {
            // Not Linux, or hidden from this process: then nobody knows.
        }
        return OptionalLong.empty();
    }

    private static OptionalLong number(Path file) {
        try {
            String text = Files.readString(file).strip();
            return text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
