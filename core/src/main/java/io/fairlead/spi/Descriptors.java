package io.fairlead.spi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts the file descriptors that this process may still open. Connections and regions need descriptors. A process
 * without free descriptors cannot even refuse a peer. A transport that opens one therefore first checks that more than
 * {@link #RESERVE} are free. Thread-safe.
 */
public final class Descriptors {
    /** The number of descriptors that transports leave free, for existing connections and for refusals of new ones. */
    public static final int RESERVE = 16;

    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final Pattern LIMIT_LINE = Pattern.compile("(?m)^Max open files +([0-9]+)");
    private static final DescriptorCount COUNT =
            new DescriptorCount(() -> OPEN.toFile().list(), () -> OPEN.toFile().length(), System::nanoTime);
    /** 0 until it is known. */
    private static volatile int limit;

    private Descriptors() {}

    /** The limit of this process; 0 if no descriptor is left to read it. */
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
     * The number of descriptors that this process may still open. Since Linux 6.2 the kernel reports how many are open.
     * Older kernels need a count, which takes about a microsecond per descriptor. While hundreds are free, a recent
     * count is reused, less one for each call since. Counting then takes at most half of the time.
     *
     * @return 0 and up; {@link Integer#MAX_VALUE} if the operating system does not report it
     */
    public static int free() {
        int limit = limit();
        return limit == Integer.MAX_VALUE || limit == 0 ? limit : COUNT.free(limit);
    }

    /**
     * Text for an error: too few descriptors are left, with the numbers and the remedy.
     *
     * @param free the result of {@link #free()}
     * @return the second part of an error message
     */
    public static String shortage(int free) {
        return "too few file descriptors are left: free=" + free + ", kept in reserve=" + RESERVE + ", limit=" + limit()
                + "; raise the limit (ulimit -n, LimitNOFILE= for systemd, --ulimit nofile= for a container), or close"
                + " connections or allocated regions, each of which holds one";
    }
}
