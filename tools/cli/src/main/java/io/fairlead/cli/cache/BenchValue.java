package io.fairlead.cli.cache;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Values from which a reader sees whether they are whole, whose they are and how old: nothing in them is left to chance. */
final class BenchValue {
    private static final int REPEATS = 10;

    private BenchValue() {}

    static byte[] key(int number) {
        return ("key-" + number).getBytes(StandardCharsets.UTF_8);
    }

    /** The value that a key has in a version. */
    static byte[] of(int number, long version) {
        String word = Long.toHexString((number * 31L + version) * 0x9E3779B97F4A7C15L);
        return (number + " " + version + " " + word.repeat(REPEATS)).getBytes(StandardCharsets.UTF_8);
    }

    /** The version of a value, or -1 if it is not the value of that key in any version. */
    static long version(int number, byte[] value) {
        String[] words = new String(value, StandardCharsets.UTF_8).split(" ", 3);
        if (words.length < 3 || !words[1].matches("\\d{1,18}")) {
            return -1;
        }
        long version = Long.parseLong(words[1]);
        return Arrays.equals(value, of(number, version)) ? version : -1;
    }
}
