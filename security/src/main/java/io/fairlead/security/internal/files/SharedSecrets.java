package io.fairlead.security.internal.files;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads the shared secrets of peers. A listener can get an HMAC by the secret from a connector before it has proved
 * anything, and test guesses against it offline. Only random bytes withstand that.
 */
final class SharedSecrets {
    /** The minimum number of random bytes of a secret. */
    static final int RANDOM_MIN = 32;
    /** The secret in use, and one that is added or removed. */
    private static final int COUNT_MAX = 2;

    private static final int LENGTH_MAX = 4096;
    /** Three bytes. */
    private static final String BYTE_ORDER_MARK = "\u00EF\u00BB\u00BF";

    private static final Pattern HEXADECIMAL = Pattern.compile("[0-9a-fA-F]{" + 2 * RANDOM_MIN + ",}");
    /** Six bits per digit, including the last digit. */
    private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/_-]{" + (RANDOM_MIN * 4 + 2) / 3 + ",}=*");
    /**
     * A generator's output has at least this many different characters or bytes, except in one of 10^12 files of 64
     * hexadecimal digits.
     */
    private static final int DIFFERENT_MIN = 8;

    private static final String REMEDY = "./fairlead keys secret writes one, and so does openssl rand -hex 32";

    private SharedSecrets() {}

    /** The secrets of a file, the one to prove first. */
    static List<byte[]> read(NamedFile file) {
        file.demandPrivate();
        byte[] content = file.read();
        String text = withoutMark(new String(content, StandardCharsets.ISO_8859_1));
        boolean isText = text.chars().allMatch(c -> (c >= ' ' && c < 0x7F) || c == '\n' || c == '\r' || c == '\t');
        List<byte[]> secrets = isText
                ? text.lines()
                        .map(String::strip)
                        .filter(line -> !line.isEmpty())
                        .map(line -> checked(file, line))
                        .toList()
                : List.of(checked(file, content));
        Arrays.fill(content, (byte) 0);
        if (secrets.isEmpty() || secrets.size() > COUNT_MAX) {
            throw file.problem(
                    "has " + secrets.size() + " secrets, expected one a line and at most " + COUNT_MAX, REMEDY);
        }
        if (secrets.size() == COUNT_MAX && Arrays.equals(secrets.getFirst(), secrets.getLast())) {
            throw file.problem("has the same secret twice", "leave one, or write the one that is to follow it");
        }
        return secrets;
    }

    /** The byte order mark of UTF-8 is not part of the secret. */
    private static String withoutMark(String text) {
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
    }

    private static byte[] checked(NamedFile file, String line) {
        boolean isRandom = HEXADECIMAL.matcher(line).matches()
                || (BASE64.matcher(line).matches() && !line.chars().allMatch(c -> Character.digit(c, 16) >= 0));
        if (!isRandom) {
            throw file.problem(
                    "has a line that is not " + RANDOM_MIN + " random bytes in hexadecimal or Base64: length="
                            + line.length() + " characters, which somebody could guess",
                    REMEDY);
        }
        return checked(file, line.getBytes(StandardCharsets.US_ASCII));
    }

    private static byte[] checked(NamedFile file, byte[] secret) {
        if (secret.length < RANDOM_MIN || secret.length > LENGTH_MAX) {
            throw file.problem(
                    "is not a secret of " + RANDOM_MIN + " to " + LENGTH_MAX + " bytes: length=" + secret.length,
                    REMEDY);
        }
        boolean[] seen = new boolean[1 << Byte.SIZE];
        int different = 0;
        for (byte next : secret) {
            different += seen[next & 0xFF] ? 0 : 1;
            seen[next & 0xFF] = true;
        }
        if (different < DIFFERENT_MIN) {
            throw file.problem("is not random: different bytes=" + different + ", at least " + DIFFERENT_MIN, REMEDY);
        }
        return secret.clone();
    }
}
