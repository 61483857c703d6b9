package io.fairlead.cli.command;

import picocli.CommandLine.ITypeConverter;

/** Reads an option for how many messages are to leave per second. Every command accepts the same: 0 for as many as can be, to a thousand million. */
public final class Rate implements ITypeConverter<Double> {
    private static final double MAX = 1e9;

    /** For picocli. */
    public Rate() {}

    @Override
    public Double convert(String text) {
        return Range.number(text, " per second", 0, MAX);
    }
}
