package io.fairlead.cli.command;

/** Checks numbers of a command line, one option at a time, so that a failure names the one that is wrong. */
public final class Range {
    /** The longest time that a command's options accept for running or waiting, in seconds. */
    public static final double SECONDS_MAX = 3600;

    private static final double SECONDS_MIN = 0.1;

    private Range() {}

    /**
     * Refuses what is no time to run or to wait: less than a tenth of a second, or more than an hour.
     *
     * @param option the option's name
     * @param value what was given, in seconds
     * @throws CommandFailure if it is out of range
     */
    public static void seconds(String option, double value) {
        between(option, value, SECONDS_MIN, SECONDS_MAX);
    }

    /**
     * Refuses what is below a bound, and what is no number.
     *
     * @param option the option's name
     * @param value what was given
     * @param min the least that will do
     * @throws CommandFailure if it is out of range
     */
    public static void atLeast(String option, double value, double min) {
        if (!(value >= min)) {
            throw CommandFailure.usage(
                    "option out of range: " + option + "=" + text(value) + ", " + text(min) + " and up; change it");
        }
    }

    /**
     * Refuses what is not between two bounds, and what is no number.
     *
     * @param option the option's name
     * @param value what was given
     * @param min the least that will do
     * @param max the most that will do
     * @throws CommandFailure if it is out of range
     */
    public static void between(String option, double value, double min, double max) {
        if (!(value >= min && value <= max)) {
            throw CommandFailure.usage("option out of range: " + option + "=" + text(value) + ", " + text(min) + " to "
                    + text(max) + "; change it");
        }
    }

    /** Whole numbers as they were typed. */
    private static String text(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
