package io.fairlead.config;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 1 MiB}, {@code 64k}, {@code 1.5 GiB}. */
final class SizeText {
    private static final Pattern FORM = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?)\\s*([A-Za-z]*)");

    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    private SizeText() {}

    /**
     * Reads a size; a bare number is bytes, {@code k}, {@code m} and {@code g} are powers of 1024, and so is all but {@code kB},
     * {@code MB} and {@code GB}.
     *
     * @throws IllegalArgumentException if the text is none, {@link ArithmeticException} if it is no whole number of bytes in 64 bits
     */
    static long parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException("not a number with a unit");
        }
        long unit = switch (form.group(2)) {
            case "", "B", "b", "byte", "bytes" -> 1;
            case "k", "K", "Ki", "KiB" -> KIB;
            case "kB" -> 1_000L;
            case "m", "M", "Mi", "MiB" -> MIB;
            case "MB" -> 1_000_000L;
            case "g", "G", "Gi", "GiB" -> GIB;
            case "GB" -> 1_000_000_000L;
            default -> throw new IllegalArgumentException("unknown unit: " + form.group(2));
        };
        return new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(unit)).longValueExact();
    }

    /** Writes a size in the largest unit that leaves a whole number. */
    static String format(long bytes) {
        if (bytes != 0 && bytes % GIB == 0) {
            return bytes / GIB + " GiB";
        }
        if (bytes != 0 && bytes % MIB == 0) {
            return bytes / MIB + " MiB";
        }
        return bytes != 0 && bytes % KIB == 0 ? bytes / KIB + " KiB" : bytes + " B";
    }
}
