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
    /** Read while there are some to read it by. */
    private static final int LIMIT = limit();

    private Descriptors() {}

    private static int limit() {
        try {
            Matcher line = LIMIT_LINE.matcher(Files.readString(Path.of("/proc/self/limits")));
            return line.find() ? (int) Math.min(Long.parseLong(line.group(1)), Integer.MAX_VALUE) : Integer.MAX_VALUE;
        } catch (IOException unknown) {
            return Integer.MAX_VALUE;
        }
    }

    /**
     * How many more this process may open. Counts those that are open, which takes a microsecond for each.
     *
     * @return 0 and up; {@link Integer#MAX_VALUE} where the operating system does not tell
     */
    public static int free() {
        if (LIMIT == Integer.MAX_VALUE) {
            return LIMIT;
        }
        // Counting takes one, which is among those that are counted.
        String[] open = OPEN.toFile().list();
        return open == null ? 0 : Math.max(LIMIT - open.length + 1, 0);
    }

    /**
     * Says that too few are left, and what to do.
     *
     * @param free how many there are
     * @return the end of a message
     */
    public static String shortage(int free) {
        return "too few file descriptors are left: free=" + free + ", kept in reserve=" + RESERVE + ", limit=" + LIMIT
                + "; raise the limit (ulimit -n, LimitNOFILE= for systemd, --ulimit nofile= for a container), or close"
                + " connections or allocated regions, each of which holds one";
    }
}
