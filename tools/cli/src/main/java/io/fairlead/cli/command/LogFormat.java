package io.fairlead.cli.command;

/** How log lines are written; the names are those of the appenders in {@code logback.xml}. */
public enum LogFormat {
    /** Text for people. */
    PLAIN,
    /** A JSON object per line. */
    JSON
}
