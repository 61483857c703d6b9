package io.fairlead.spi.host;

import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How much memory this process can still take: what the host has left, or a control group of this process if that is less. The kernel makes room for
 * pages by ending processes, this one among them, before it refuses any. So a region that is longer has to be refused before it is made. Immutable and
 * thread-safe.
 */
public final class AvailableMemory {
    private static final String GROUPS = "/proc/self/cgroup";
    private static final String MOUNTS = "/proc/self/mountinfo";
    /** Where control groups usually are, if the kernel does not say where they are mounted. */
    private static final String V2 = "/sys/fs/cgroup";

    private static final String V1 = "/sys/fs/cgroup/memory";
    /** As much as this is always taken to be there. */
    private static final long UNASKED_MAX = 1 << 20;
    /** Page tables, and what the rest of the process takes meanwhile. */
    private static final long SPARE_MIN = 4 << 20;

    private static final int SPARE_SHIFT = 6;

    private final HostFiles files;

    /**
     * Makes a reader of the kernel's files.
     *
     * @param files the files
     */
    public AvailableMemory(HostFiles files) {
        this.files = files;
    }

    /**
     * The memory of this process.
     *
     * @return a reader of the kernel's files
     */
    public static AvailableMemory here() {
        return new AvailableMemory(new HostFiles(Path.of("/")));
    }

    /**
     * Why memory cannot be taken. It reads a few files; memory of at most 1 MiB costs no look.
     *
     * @param length bytes
     * @return the shortage with its figures; empty if the memory can be taken, with something to spare for the rest of the process
     */
    public Optional<String> shortage(long length) {
        if (length <= UNASKED_MAX) {
            return Optional.empty();
        }
        long available = bytes();
        long spare = SPARE_MIN + (length >> SPARE_SHIFT);
        return available == Long.MAX_VALUE || length <= available - spare
                ? Optional.empty()
                : Optional.of("too little memory: needed=" + length + " bytes with " + spare + " to spare, available="
                        + available + " bytes of the host and of the control group");
    }

    /**
     * How much there is now.
     *
     * @return bytes; {@link Long#MAX_VALUE} if nothing says
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

    /** What this process's group and those that it is in have left, in one hierarchy: each of them has a limit of its own. */
    private long group(String controller, String type, String usualMount, boolean old) {
        String group = groupOf(controller);
        String[] mount = mountOf(type, old);
        String root = mount == null ? "/" : mount[0];
        String point = mount == null ? usualMount : mount[1];
        // In a container the group of this process, or one above it, is what is mounted.
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

    /** The group of this process for a controller, by {@code number:controllers:path}; of the unified hierarchy the line begins with "0::". */
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

    /** The root and the point of a hierarchy's mount; null if there is none, or nothing says. */
    private String @Nullable [] mountOf(String type, boolean old) {
        return files.text(MOUNTS).stream()
                .flatMap(String::lines)
                .map(line -> line.split(" ", -1))
                .filter(field -> isMountOf(field, type, old))
                .map(field -> new String[] {field[3], field[4]})
                .findFirst()
                .orElse(null);
    }

    /** The fields behind the separator are the type, the source and the options, which name the controllers of an old hierarchy. */
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
        // Pages of files that nobody has touched lately count as used, and go when there is need.
        long cached = files.field(folder + "/memory.stat", old ? "total_inactive_file " : "inactive_file ")
                .filter(AvailableMemory::isNumber)
                .map(Long::parseLong)
                .orElse(0L);
        return Math.max(limit.get() - used.get() + cached, 0);
    }

    /** Absent where there is no limit: "max", or in an old hierarchy a number of 19 digits. */
    private Optional<Long> number(String file) {
        return files.text(file).filter(AvailableMemory::isNumber).map(Long::parseLong);
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,18}");
    }
}
