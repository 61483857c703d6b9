package io.fairlead.benchmarks.contest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What messages are made of: words of 64 bits in the machine's order, each the message's number and its own place. Of messages up to {@link #WHOLE} bytes every word is
 * written and compared; of longer ones the first and the last, so that what is measured is not this.
 */
public final class Payload {
    /** As long a message is written and compared word by word. */
    static final int WHOLE = 64;

    /** The shortest message; lengths are multiples of it. */
    static final int WORD = Long.BYTES;

    private static final ValueLayout.OfLong WORDS = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.nativeOrder());

    /** Writes a word into a message. */
    interface Sink {
        void word(int offset, long value);
    }

    /** Reads a word of a message. */
    interface Source {
        long word(int offset);
    }

    private Payload() {}

    private static long word(long number, int offset) {
        return number + ((long) offset << 32);
    }

    static void write(int size, long number, Sink sink) {
        int whole = Math.min(size, WHOLE);
        for (int offset = 0; offset < whole; offset += WORD) {
            sink.word(offset, word(number, offset));
        }
        if (size > WHOLE) {
            sink.word(size - WORD, word(number, size - WORD));
        }
    }

    static void check(int size, long number, Source source) {
        int whole = Math.min(size, WHOLE);
        for (int offset = 0; offset < whole; offset += WORD) {
            compare(number, offset, source.word(offset));
        }
        if (size > WHOLE) {
            compare(number, size - WORD, source.word(size - WORD));
        }
    }

    /** Writes a message. */
    public static void write(MemorySegment message, int size, long number) {
        int whole = Math.min(size, WHOLE);
        for (int offset = 0; offset < whole; offset += WORD) {
            message.set(WORDS, offset, word(number, offset));
        }
        if (size > WHOLE) {
            message.set(WORDS, size - WORD, word(number, size - WORD));
        }
    }

    /** Fails unless this is the message. */
    public static void check(MemorySegment message, int size, long number) {
        check(message, 0, size, number);
    }

    /** The same of one that is somewhere in other memory. */
    static void check(MemorySegment buffer, long at, int size, long number) {
        int whole = Math.min(size, WHOLE);
        for (int offset = 0; offset < whole; offset += WORD) {
            compare(number, offset, buffer.get(WORDS, at + offset));
        }
        if (size > WHOLE) {
            compare(number, size - WORD, buffer.get(WORDS, at + size - WORD));
        }
    }

    /** From an index on, whatever the buffer's position is; the buffer has the machine's order. */
    static void write(ByteBuffer buffer, int index, int size, long number) {
        write(size, number, (offset, value) -> buffer.putLong(index + offset, value));
    }

    static void check(ByteBuffer buffer, int index, int size, long number) {
        check(size, number, offset -> buffer.getLong(index + offset));
    }

    static ByteBuffer wrap(byte[] message) {
        return ByteBuffer.wrap(message).order(ByteOrder.nativeOrder());
    }

    /** Fails unless the length is that which was sent. */
    public static void length(int expected, int length) {
        if (length != expected) {
            throw new IllegalStateException("another length than was sent: length=" + length + ", sent=" + expected);
        }
    }

    private static void compare(long number, int offset, long found) {
        if (found != word(number, offset)) {
            throw new IllegalStateException("another message than was sent: number=" + number + ", offset=" + offset
                    + ", found=" + Long.toHexString(found) + ", sent=" + Long.toHexString(word(number, offset)));
        }
    }
}
