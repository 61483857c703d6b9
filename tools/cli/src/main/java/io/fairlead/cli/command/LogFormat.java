package io.fairlead.cli.command;

/** How log lines are written; the names are the appenders' names in {@code logback.xml}. */
public enum LogFormat {
    /** Text for people. */
    PLAIN,
    /** A JSON object per line. */
    JSON
}
