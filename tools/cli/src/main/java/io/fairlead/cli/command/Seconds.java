package io.fairlead.cli.command;

import picocli.CommandLine.ITypeConverter;

/** Reads an option for a time to run or to wait, in seconds, such as 1 or 1s. Every command accepts the same: a hundredth of a second to a day. */
public final class Seconds implements ITypeConverter<Double> {
    private static final double MIN = 0.01;
    private static final double MAX = 86_400;

    /** For picocli. */
    public Seconds() {}

    @Override
    public Double convert(String text) {
        return Range.number(text.endsWith("s") ? text.substring(0, text.length() - 1) : text, " s", MIN, MAX);
    }
}
