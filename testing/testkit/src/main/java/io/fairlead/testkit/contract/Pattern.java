package io.fairlead.testkit.contract;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Fills memory with bytes that each depend on a seed and on their position, and checks such memory, so that a wrong or misplaced byte is found. */
public final class Pattern {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Pattern() {}

    /**
     * Fills a range with a pattern, from its start.
     *
     * @param segment the memory
     * @param offset first byte of the range
     * @param length bytes
     * @param seed the seed of the pattern
     */
    public static void fill(MemorySegment segment, long offset, long length, long seed) {
        fill(segment, offset, length, seed, 0);
    }

    /**
     * Fills a range with a part of a pattern.
     *
     * @param segment the memory
     * @param offset first byte of the range
     * @param length bytes
     * @param seed the seed of the pattern
     * @param start the position in the pattern to begin with, a multiple of 8
     */
    public static void fill(MemorySegment segment, long offset, long length, long seed, long start) {
        requireWord(start);
        long position = 0;
        for (; position + 8 <= length; position += 8) {
            segment.set(WORD, offset + position, word(seed, start + position));
        }
        for (; position < length; position++) {
            segment.set(ValueLayout.JAVA_BYTE, offset + position, valueAt(seed, start + position));
        }
    }

    /**
     * Checks a range that should hold a pattern from its start.
     *
     * @param segment the memory
     * @param offset first byte of the range
     * @param length bytes
     * @param seed the seed of the pattern
     * @throws AssertionError naming the first byte that differs
     */
    public static void verify(MemorySegment segment, long offset, long length, long seed) {
        verify(segment, offset, length, seed, 0);
    }

    /**
     * Checks a range that should hold a part of a pattern.
     *
     * @param segment the memory
     * @param offset first byte of the range
     * @param length bytes
     * @param seed the seed of the pattern
     * @param start the position in the pattern to begin with, a multiple of 8
     * @throws AssertionError naming the first byte that differs
     */
    public static void verify(MemorySegment segment, long offset, long length, long seed, long start) {
        requireWord(start);
        long position = 0;
        while (position + 8 <= length && segment.get(WORD, offset + position) == word(seed, start + position)) {
            position += 8;
        }
        for (; position < length; position++) {
            byte found = segment.get(ValueLayout.JAVA_BYTE, offset + position);
            byte expected = valueAt(seed, start + position);
            if (found != expected) {
                throw new AssertionError("pattern broken: seed=" + seed + ", byte=" + position + " of " + length
                        + ", expected=" + expected + ", found=" + found);
            }
        }
    }

    /**
     * Checks that every byte of a range has one value, such as in a range that must not be touched.
     *
     * @param segment the memory
     * @param offset first byte of the range
     * @param length bytes
     * @param value the expected value
     * @throws AssertionError naming the first byte that differs
     */
    public static void verifyFilled(MemorySegment segment, long offset, long length, byte value) {
        for (long position = 0; position < length; position++) {
            byte found = segment.get(ValueLayout.JAVA_BYTE, offset + position);
            if (found != value) {
                throw new AssertionError(
                        "memory was touched: byte=" + (offset + position) + ", expected=" + value + ", found=" + found);
            }
        }
    }

    private static void requireWord(long start) {
        if ((start & 7) != 0) {
            throw new IllegalArgumentException("start is not a multiple of 8: start=" + start);
        }
    }

    private static byte valueAt(long seed, long position) {
        return (byte) (word(seed, position & ~7L) >>> ((position & 7) << 3));
    }

    /** Mixes as SplitMix64 does, so that neighbouring words and seeds have nothing in common. */
    private static long word(long seed, long position) {
        long z = (seed * 0x9E3779B97F4A7C15L) ^ (position + 0x632BE59BD9B4E019L);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
