package io.fairlead.cli.command;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The terminal that a command may have. The JDK reports whether both stdin and stdout are a terminal, but not either alone. */
public final class Terminal {
    private static final Pattern SIZE = Pattern.compile("(\\d+) (\\d+)\\s*");
    private static final long STTY_MS = 1000;
    /** What every terminal has. */
    private static final Size LEAST = new Size(24, 80);

    private Terminal() {}

    /**
     * How much a terminal shows.
     *
     * @param rows lines
     * @param columns characters in a line
     */
    public record Size(int rows, int columns) {}

    /**
     * Whether stdout is a terminal.
     *
     * @return false if that is unknown
     */
    public static boolean isOutput() {
        return isTerminal(Path.of("/proc/self/fd/1"));
    }

    /**
     * Whether stderr is a terminal on which text is expected.
     *
     * @return false if that is unknown, or the log is JSON
     */
    public static boolean isError() {
        return !CommandLog.isJson() && isTerminal(Path.of("/proc/self/fd/2"));
    }

    private static boolean isTerminal(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().matches("/dev/(pts/|tty|console).*");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    /**
     * How much the terminal shows now; it may have another size a moment later.
     *
     * @return 24 lines of 80 if that is unknown
     */
    public static Size size() {
        try {
            // The JDK does not know, and libraries that do take the terminal over.
            Process stty = new ProcessBuilder("stty", "-F", "/dev/tty", "size").start();
            try {
                if (!stty.waitFor(STTY_MS, TimeUnit.MILLISECONDS)) {
                    return LEAST;
                }
                Matcher size =
                        SIZE.matcher(new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
                return size.matches()
                                && !size.group(1).equals("0")
                                && !size.group(2).equals("0")
                        ? new Size(Integer.parseInt(size.group(1)), Integer.parseInt(size.group(2)))
                        : LEAST;
            } finally {
                stty.destroyForcibly();
            }
        } catch (IOException e) {
            return LEAST;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return LEAST;
        }
    }
}
