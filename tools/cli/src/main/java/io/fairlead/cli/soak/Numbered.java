package io.fairlead.cli.soak;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;

/**
 * The messages of one direction of a round. Kind, length and content of each follow from its number, so that both processes know them
 * without a word.
 */
record Numbered(long seed, int count) {
    /** How a message is sent. */
    enum Kind {
        TAGGED,
        SYNCHRONOUS,
        ACTIVE
    }

    /** The length of the longest message, in bytes: beyond the eager limit of every transport. */
    static final int LENGTH_MAX = 256 << 10;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final Kind[] KINDS = Kind.values();

    Kind kind(int number) {
        return KINDS[(int) Long.remainderUnsigned(mix(seed, number), KINDS.length)];
    }

    /** The numbers of the messages of some kinds, in order. */
    int[] numbers(boolean active) {
        return IntStream.range(0, count)
                .filter(number -> (kind(number) == Kind.ACTIVE) == active)
                .toArray();
    }

    /** Most messages are short, one in twelve is longer than what is sent eagerly. */
    int length(int number) {
        long random = mix(seed + 1, number) >>> 1;
        int max = switch ((int) (random % 12)) {
            case 0 -> LENGTH_MAX;
            case 1, 2, 3 -> 16 << 10;
            default -> 256;
        };
        return (int) ((random >>> 8) % (max + 1));
    }

    /** Writes a message to the beginning of a segment. */
    void fill(MemorySegment segment, int number) {
        int length = length(number);
        long first = mix(seed + 2, number);
        int at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            segment.set(WORD, at, first + at);
        }
        for (; at < length; at++) {
            segment.set(ValueLayout.JAVA_BYTE, at, (byte) (first + at));
        }
    }

    /** Whether a segment's beginning holds the message. */
    boolean matches(MemorySegment segment, int number) {
        int length = length(number);
        long first = mix(seed + 2, number);
        int at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            if (segment.get(WORD, at) != first + at) {
                return false;
            }
        }
        for (; at < length; at++) {
            if (segment.get(ValueLayout.JAVA_BYTE, at) != (byte) (first + at)) {
                return false;
            }
        }
        return true;
    }

    /** A number that looks random, the same for the same arguments. */
    static long mix(long seed, long number) {
        long bits = seed * 0x9E3779B97F4A7C15L + number;
        bits = (bits ^ bits >>> 30) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ bits >>> 27) * 0x94D049BB133111EBL;
        return bits ^ bits >>> 31;
    }
}
