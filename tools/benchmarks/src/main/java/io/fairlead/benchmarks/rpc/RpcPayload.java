package io.fairlead.benchmarks.rpc;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The 64 bytes of a request and of its reply: a number, and words that follow from it, so that either side checks every byte of every message. A
 * reply has other words than its request, so that an echo is not taken for one.
 */
public final class RpcPayload {
    static final int LENGTH = 64;
    static final int WORDS = LENGTH / Long.BYTES;

    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private RpcPayload() {}

    /** A word of the request with a number; the first is the number itself. */
    static long requestWord(long number, int index) {
        return index == 0 ? number : (number + index) * SPREAD;
    }

    /** A word of the reply to the request with a number. */
    static long replyWord(long number, int index) {
        return index == 0 ? number : ~requestWord(number, index);
    }

    /** The number of a reply that says that its request was not as it was sent. */
    static long refusal(long number) {
        return ~number;
    }

    /** The request with a number. */
    public static MemorySegment request(long number) {
        long[] words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = requestWord(number, i);
        }
        return MemorySegment.ofArray(words);
    }

    /** The reply to a request as it was received. */
    public static MemorySegment reply(MemorySegment request) {
        long number = word(request, 0);
        boolean intact = request.byteSize() == LENGTH;
        long[] words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            intact &= word(request, i) == requestWord(number, i);
            words[i] = replyWord(number, i);
        }
        if (!intact) {
            words[0] = refusal(number);
        }
        return MemorySegment.ofArray(words);
    }

    /** Throws unless this is the reply to the request with a number. */
    public static void checkReply(MemorySegment reply, long number) {
        boolean intact = reply.byteSize() == LENGTH;
        for (int i = 0; i < WORDS; i++) {
            intact &= word(reply, i) == replyWord(number, i);
        }
        if (!intact) {
            throw broken(number);
        }
    }

    static IllegalStateException broken(long number) {
        return new IllegalStateException(
                "a request or its reply arrived with other bytes than were sent: number=" + number);
    }

    private static long word(MemorySegment payload, int index) {
        return payload.get(ValueLayout.JAVA_LONG, (long) index * Long.BYTES);
    }
}
