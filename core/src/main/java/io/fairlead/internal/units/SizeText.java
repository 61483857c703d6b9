package io.fairlead.internal.units;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigValueFactory;

/** Sizes in HOCON's units: {@code 1 MiB}, {@code 64k}, {@code 1.5 GiB}. */
public final class SizeText {
    private static final String PATH = "size";
    /** The units of the text form, from the largest. */
    private static final String[] UNITS = {" GiB", " MiB", " KiB"};
    /** No valid size needs more; the library computes with every given digit. */
    private static final int LENGTH_MAX = 64;

    private SizeText() {}

    /**
     * Parses a size; a bare number is bytes, {@code k}, {@code m} and {@code g} are powers of 1024, {@code kB},
     * {@code MB} and {@code GB} powers of 1000. A fraction of a byte is truncated.
     *
     * @param text a number without an exponent and a unit of HOCON's, together at most 64 characters
     * @return the size in bytes, 0 and up
     * @throws IllegalArgumentException if the text is malformed, or the size does not fit 63 bits
     */
    public static long parse(String text) {
        String stripped = text.strip();
        // HOCON accepts Java's words for numbers, and reads "NaN" as 0.
        if (stripped.isEmpty() || !Character.isDigit(stripped.charAt(0)) || isDear(stripped)) {
            throw new IllegalArgumentException("not a size: text=" + text);
        }
        try {
            return ConfigValueFactory.fromAnyRef(stripped).atKey(PATH).getBytes(PATH);
        } catch (ConfigException refused) {
            throw new IllegalArgumentException("not a size: text=" + text, refused);
        }
    }

    /** Whether the number is so long, or has such an exponent, that its digits would fill the memory: 1e1000000 MiB. */
    private static boolean isDear(String stripped) {
        int end = 0;
        while (end < stripped.length() && (Character.isDigit(stripped.charAt(end)) || stripped.charAt(end) == '.')) {
            end++;
        }
        boolean exponent = end + 1 < stripped.length()
                && Character.toLowerCase(stripped.charAt(end)) == 'e'
                && !Character.isLetter(stripped.charAt(end + 1));
        return exponent || stripped.length() > LENGTH_MAX;
    }

    /**
     * Formats a size in the largest unit that gives a whole number.
     *
     * @param bytes the size, 0 and up
     * @return text that {@link #parse} accepts
     */
    public static String format(long bytes) {
        for (int i = 0, shift = 30; bytes != 0 && i < UNITS.length; i++, shift -= 10) {
            if (bytes % (1L << shift) == 0) {
                return (bytes >> shift) + UNITS[i];
            }
        }
        return bytes + " B";
    }
}
