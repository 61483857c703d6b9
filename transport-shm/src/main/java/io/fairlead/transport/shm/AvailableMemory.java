package io.fairlead.transport.shm;

import io.fairlead.spi.host.HostFiles;
import java.nio.file.Path;
import java.util.Optional;

/**
 * How much memory this process can still take. The kernel would make room for pages by ending processes, this one among them, before it
 * refused any; so what is more than there is has to be refused here.
 */
final class AvailableMemory {
    private static final String V2 = "/sys/fs/cgroup";
    private static final String V1 = "/sys/fs/cgroup/memory";

    private final HostFiles files;

    AvailableMemory(HostFiles files) {
        this.files = files;
    }

    static AvailableMemory here() {
        return new AvailableMemory(new HostFiles(Path.of("/")));
    }

    /** In bytes: what the host has left, or the control group if that is less; as much as there can be if nothing tells. */
    long bytes() {
        long least = host().orElse(Long.MAX_VALUE);
        String group = files.field("/proc/self/cgroup", "0::").orElse("/");
        // In a container the group of this process is mounted as the root.
        for (String folder : new String[] {V2 + group, V2}) {
            least = Math.min(least, left(folder + "/memory.max", folder + "/memory.current", folder + "/memory.stat"));
        }
        return Math.min(least, left(V1 + "/memory.limit_in_bytes", V1 + "/memory.usage_in_bytes", V1 + "/memory.stat"));
    }

    private Optional<Long> host() {
        return files.field("/proc/meminfo", "MemAvailable:")
                .map(text -> text.replace("kB", "").strip())
                .filter(AvailableMemory::isNumber)
                .map(text -> Long.parseLong(text) * 1024);
    }

    private long left(String limitFile, String usedFile, String statisticsFile) {
        Optional<Long> limit = number(limitFile);
        Optional<Long> used = number(usedFile);
        if (limit.isEmpty() || used.isEmpty()) {
            return Long.MAX_VALUE;
        }
        // Pages of files that nobody has touched lately count as used, and go when there is need.
        long cached = files.field(statisticsFile, "inactive_file ")
                .filter(AvailableMemory::isNumber)
                .map(Long::parseLong)
                .orElse(0L);
        return Math.max(limit.get() - used.get() + cached, 0);
    }

    /** Absent where there is no limit: "max". */
    private Optional<Long> number(String file) {
        return files.text(file).filter(AvailableMemory::isNumber).map(Long::parseLong);
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,18}");
    }
}
