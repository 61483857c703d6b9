package io.fairlead.benchmarks.contest;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
    public interface Sink {
        void word(int offset, long value);
    }

    /** Reads a word of a message. */
    public interface Source {
        long word(int offset);
    }

    private Payload() {}

    private static long word(long number, int offset) {
        return number + ((long) offset << 32);
    }

    public static void write(int size, long number, Sink sink) {
        int whole = Math.min(size, WHOLE);
        for (int offset = 0; offset < whole; offset += WORD) {
            sink.word(offset, word(number, offset));
        }
        if (size > WHOLE) {
            sink.word(size - WORD, word(number, size - WORD));
        }
    }

    public static void check(int size, long number, Source source) {
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
        write(message, 0, size, number);
    }

    /** The same somewhere in other memory. */
    static void write(MemorySegment buffer, long at, int size, long number) {
        int whole = Math.min(size, WHOLE);
        for (int offset = 0; offset < whole; offset += WORD) {
            buffer.set(WORDS, at + offset, word(number, offset));
        }
        if (size > WHOLE) {
            buffer.set(WORDS, at + size - WORD, word(number, size - WORD));
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

    /** A message as an array. */
    public static byte[] bytes(int size, long number) {
        byte[] message = new byte[size];
        write(MemorySegment.ofArray(message), size, number);
        return message;
    }

    static void check(byte[] message, int size, long number) {
        length(size, message.length);
        check(MemorySegment.ofArray(message), size, number);
    }

    /** A message of its own. */
    public static MemorySegment message(int size, long number) {
        return MemorySegment.ofArray(bytes(size, number));
    }

    /** The reply to a request: other words, so that no echo is taken for it. What arrived with other words than were sent is sent back. */
    public static MemorySegment reply(MemorySegment request) {
        int size = (int) request.byteSize();
        long number = request.get(WORDS, 0);
        try {
            check(request, size, number);
            return message(size, ~number);
        } catch (IllegalStateException changed) {
            return message(size, number);
        }
    }

    /** Fails unless this is the reply to the request with a number. */
    public static void checkReply(MemorySegment reply, int size, long number) {
        length(size, (int) reply.byteSize());
        check(reply, size, ~number);
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
