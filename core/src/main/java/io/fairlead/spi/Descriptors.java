package io.fairlead.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file descriptors of this process. Connections, regions and what lies beneath them need some, and a process without any cannot even
 * say so. Thread-safe.
 */
public final class Descriptors {
    /** So many are left to the connections that there are, and to telling peers why no more can be made. */
    public static final int RESERVE = 16;

    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final Pattern LIMIT_LINE = Pattern.compile("(?m)^Max open files +([0-9]+)");
    /** 0 until it is known. */
    private static volatile int limit;

    private Descriptors() {}

    /** The limit; 0 where there is no descriptor left to read it by. */
    private static int limit() {
        int known = limit;
        if (known == 0) {
            try {
                Matcher line = LIMIT_LINE.matcher(Files.readString(Path.of("/proc/self/limits")));
                known = line.find()
                        ? (int) Math.min(Long.parseLong(line.group(1)), Integer.MAX_VALUE)
                        : Integer.MAX_VALUE;
            } catch (IOException unknown) {
                if (Files.exists(OPEN)) {
                    return 0;
                }
                known = Integer.MAX_VALUE;
            }
            limit = known;
        }
        return known;
    }

    /**
     * How many more this process may open. Counts those that are open, which takes a microsecond for each.
     *
     * @return 0 and up; {@link Integer#MAX_VALUE} where the operating system does not tell
     */
    public static int free() {
        int limit = limit();
        if (limit == Integer.MAX_VALUE || limit == 0) {
            return limit;
        }
        // Counting takes one, which is among those that are counted.
        String[] open = OPEN.toFile().list();
        return open == null ? 0 : Math.max(limit - open.length + 1, 0);
    }

    /**
     * Says that too few are left, and what to do.
     *
     * @param free how many there are
     * @return the end of a message
     */
    public static String shortage(int free) {
        return "too few file descriptors are left: free=" + free + ", kept in reserve=" + RESERVE + ", limit=" + limit()
                + "; raise the limit (ulimit -n, LimitNOFILE= for systemd, --ulimit nofile= for a container), or close"
                + " connections or allocated regions, each of which holds one";
    }
}
