package io.fairlead.spi.host;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How much memory this process can still allocate: the free memory of the host or of a control group
 * of this process, whichever is less. The kernel kills processes, this one among them, before it refuses an allocation. A region that is too
 * long must therefore be refused before it is created. Thread-safe.
 */
public final class AvailableMemory {
    private static final String GROUPS = "/proc/self/cgroup";
    private static final String MOUNTS = "/proc/self/mountinfo";
    /** Default mount point of control groups, for a kernel that does not report their mount points. */
    private static final String V2 = "/sys/fs/cgroup";

    private static final String V1 = "/sys/fs/cgroup/memory";
    /** Allocations up to this length together are not checked. */
    private static final long UNASKED_MAX = 1 << 20;
    /** Reserve for page tables, and for concurrent allocations of the process. */
    private static final long SPARE_MIN = 4 << 20;

    private static final int SPARE_SHIFT = 6;

    private static final AvailableMemory HERE = new AvailableMemory(new HostFiles(Path.of("/")));

    private final HostFiles files;
    /** Bytes since the last check that has found enough. */
    private final AtomicLong unasked = new AtomicLong();

    /**
     * Creates a reader of the kernel's files.
     *
     * @param files the files
     */
    public AvailableMemory(HostFiles files) {
        this.files = files;
    }

    /**
     * The memory of this process.
     *
     * @return the one reader of the kernel's files
     */
    public static AvailableMemory here() {
        return HERE;
    }

    /**
     * Why memory cannot be allocated. It reads a few files, but not while all lengths since the last check are 1 MiB or
     * less together.
     *
     * @param length bytes
     * @return the shortage with its numbers; empty if the memory can be allocated and the reserve stays free
     */
    public Optional<String> shortage(long length) {
        if (unasked.accumulateAndGet(length, AvailableMemory::sum) <= UNASKED_MAX) {
            return Optional.empty();
        }
        long available = bytes();
        long spare = SPARE_MIN + (length >> SPARE_SHIFT);
        if (available == Long.MAX_VALUE || length <= available - spare) {
            unasked.set(0);
            return Optional.empty();
        }
        return Optional.of("too little memory: needed=" + length + " bytes with " + spare + " to spare, available="
                + available + " bytes of the host and of the control group");
    }

    private static long sum(long before, long length) {
        return Math.min(before, UNASKED_MAX) + Math.min(length, UNASKED_MAX + 1);
    }

    /**
     * The available memory now.
     *
     * @return bytes; {@link Long#MAX_VALUE} if it is unknown
     */
    public long bytes() {
        long least = host().orElse(Long.MAX_VALUE);
        least = Math.min(least, group("0::", "cgroup2", V2, false));
        return Math.min(least, group("memory", "cgroup", V1, true));
    }

    private Optional<Long> host() {
        return files.field("/proc/meminfo", "MemAvailable:")
                .map(text -> text.replace("kB", "").strip())
                .filter(AvailableMemory::isNumber)
                .map(text -> Long.parseLong(text) * 1024);
    }

    /** What this process's group and its ancestors have left, in one hierarchy: each group has its own limit. */
    private long group(String controller, String type, String usualMount, boolean old) {
        String group = groupOf(controller);
        String[] mount = mountOf(type, old);
        String root = mount == null ? "/" : mount[0];
        String point = mount == null ? usualMount : mount[1];
        // In a container the mounted folder is the group of this process, or an ancestor of it.
        String below = root.equals("/") ? group : group.startsWith(root) ? group.substring(root.length()) : "";
        if (below.contains("..")) {
            below = "";
        }
        long least = Long.MAX_VALUE;
        String folder = below.equals("/") ? "" : below;
        while (true) {
            least = Math.min(least, left(point + folder, old));
            int slash = folder.lastIndexOf('/');
            if (slash < 0) {
                return least;
            }
            folder = folder.substring(0, slash);
        }
    }

    /**
     * The group of this process for a controller, from {@code number:controllers:path}; the line of the unified
     * hierarchy begins with "0::".
     */
    private String groupOf(String controller) {
        return files.text(GROUPS).stream()
                .flatMap(String::lines)
                .map(line -> line.split(":", 3))
                .filter(part -> part.length == 3)
                .filter(part -> controller.equals("0::")
                        ? part[0].equals("0") && part[1].isEmpty()
                        : isAmong(controller, part[1]))
                .map(part -> part[2])
                .findFirst()
                .orElse("/");
    }

    /** The root and the mount point of a hierarchy; null if there is none, or it is unknown. */
    private String @Nullable [] mountOf(String type, boolean old) {
        return files.text(MOUNTS).stream()
                .flatMap(String::lines)
                .map(line -> line.split(" ", -1))
                .filter(field -> isMountOf(field, type, old))
                .map(field -> new String[] {field[3], field[4]})
                .findFirst()
                .orElse(null);
    }

    /**
     * The fields after the separator are the type, the source and the options, which name the controllers of an old
     * hierarchy.
     */
    private static boolean isMountOf(String[] field, String type, boolean old) {
        for (int i = 5; i + 3 < field.length; i++) {
            if (field[i].equals("-")) {
                return field[i + 1].equals(type) && (!old || isAmong("memory", field[i + 3]));
            }
        }
        return false;
    }

    private static boolean isAmong(String word, String list) {
        return ("," + list + ",").contains("," + word + ",");
    }

    private long left(String folder, boolean old) {
        Optional<Long> limit = number(folder + (old ? "/memory.limit_in_bytes" : "/memory.max"));
        Optional<Long> used = number(folder + (old ? "/memory.usage_in_bytes" : "/memory.current"));
        if (limit.isEmpty() || used.isEmpty()) {
            return Long.MAX_VALUE;
        }
        // Inactive pages of files count as used, but the kernel reclaims them on demand.
        long cached = files.field(folder + "/memory.stat", old ? "total_inactive_file " : "inactive_file ")
                .filter(AvailableMemory::isNumber)
                .map(Long::parseLong)
                .orElse(0L);
        return Math.max(limit.get() - used.get() + cached, 0);
    }

    /** Absent if there is no limit: "max", or in an old hierarchy a number of 19 digits. */
    private Optional<Long> number(String file) {
        return files.text(file).filter(AvailableMemory::isNumber).map(Long::parseLong);
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,18}");
    }
}
