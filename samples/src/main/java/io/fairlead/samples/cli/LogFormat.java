package io.fairlead.samples.cli;

/** How log lines are written; the names are those of the appenders in {@code logback.xml}. */
enum LogFormat {
    /** Text for people. */
    PLAIN,
    /** A JSON object per line. */
    JSON
}
