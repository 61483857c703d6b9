package io.fairlead.cli.command;

import picocli.CommandLine.TypeConversionException;

/** Checks numbers of a command line, one option at a time, so that a failure names the one that is wrong. */
public final class Range {
    private Range() {}

    /**
     * Reads a number for a converter, whose caller names the option.
     *
     * @throws TypeConversionException if it is no number, or out of range
     */
    static double number(String text, String unit, double min, double max) {
        double value;
        try {
            value = Double.parseDouble(text.strip());
        } catch (NumberFormatException malformed) {
            throw new TypeConversionException(
                    "'" + text + "' is no number, allowed " + text(min) + " to " + text(max) + unit);
        }
        if (!(value >= min && value <= max)) {
            throw new TypeConversionException(
                    text(value) + unit + " is out of range, allowed " + text(min) + " to " + text(max) + unit);
        }
        return value;
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
