package io.fairlead.cli.command;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * How much this process logs and in which form: system properties that {@code LogSetup} reads, so they must be set before the first logger
 * is made.
 */
public final class CommandLog {
    private static final String FORMAT = "fairlead.log.format";
    private static final String LEVEL = "fairlead.log.level";

    private CommandLog() {}

    public static void format(LogFormat format) {
        System.setProperty(FORMAT, format.name().toLowerCase(Locale.ROOT));
    }

    /**
     * The level of Fairlead's loggers.
     *
     * @return {@code ERROR} unless more is to be logged
     */
    public static String level() {
        return System.getProperty(LEVEL, "ERROR");
    }

    /**
     * Whether lines are JSON objects.
     *
     * @return false for text
     */
    public static boolean isJson() {
        return LogFormat.JSON.name().equalsIgnoreCase(System.getProperty(FORMAT));
    }

    /** Logs what is done. */
    public static void verbose() {
        System.setProperty(LEVEL, "INFO");
    }

    /** Logs every detail. */
    public static void debug() {
        System.setProperty(LEVEL, "DEBUG");
    }

    /**
     * What a process that this one starts needs in order to log in the same way.
     *
     * @return options of the JVM
     */
    public static List<String> jvmOptions() {
        return Stream.of(FORMAT, LEVEL)
                .filter(name -> System.getProperty(name) != null)
                .map(name -> "-D" + name + "=" + System.getProperty(name))
                .toList();
    }
}
