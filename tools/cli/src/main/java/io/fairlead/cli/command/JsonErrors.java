package io.fairlead.cli.command;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Standard error as one JSON object per line: a line of text, by whichever part of the process, becomes a line of the log. A line that is an object
 * already, such as a child's, stays. Native code, such as UCX, writes past it.
 */
public final class JsonErrors extends OutputStream {
    /** The logger of what the command itself has to say. */
    public static final String LOGGER = "fairlead";

    private static final String OPTION = "--log-format";
    /** The name of Logback's property; its file has the format then. */
    private static final String LOGBACK_FILE = "logback.configurationFile";

    private static volatile boolean installed;

    /** The log writes there too, not to {@link System#err}: two threads would wait for each other's lock. */
    private final OutputStream descriptor = new FileOutputStream(FileDescriptor.err);

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private JsonErrors() {}

    /**
     * Turns standard error into JSON if a command line asks for it, even one that cannot be parsed. Not in child processes, whose parents read the
     * text.
     *
     * @param args the command line
     */
    public static void installFor(String... args) {
        if (asks(args) && System.getProperty(LOGBACK_FILE) == null) {
            CommandLog.format(LogFormat.JSON);
            System.setErr(new PrintStream(new JsonErrors(), true, StandardCharsets.UTF_8));
            installed = true;
        }
    }

    private static boolean asks(String... args) {
        return (String.join("\0", args) + "\0")
                .toLowerCase(Locale.ROOT)
                .matches("(?s)(.*\0)?" + OPTION + "[=\0]json\0.*");
    }

    /**
     * The log to which the command's words go.
     *
     * @return false if they are text
     */
    static boolean isInstalled() {
        return installed;
    }

    /** Not kept: options say how much is logged, and are parsed before anything is said. */
    static Logger logger() {
        return LoggerFactory.getLogger(LOGGER);
    }

    @Override
    public synchronized void write(int next) throws IOException {
        if (next == '\n') {
            end();
        } else {
            line.write(next);
        }
    }

    private void end() throws IOException {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        if (text.startsWith("{")) {
            descriptor.write((text + "\n").getBytes(StandardCharsets.UTF_8));
        } else if (!text.isBlank()) {
            logger().info(text.stripTrailing());
        }
    }
}
