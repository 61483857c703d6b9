package io.fairlead.cli.command;

/** How log lines are written. */
public enum LogFormat {
    /** Text for people. */
    PLAIN,
    /** A JSON object per line. */
    JSON
}
