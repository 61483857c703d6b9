package io.fairlead.internal.net;

/**
 * The header of a record of a {@link ResumableStream}, little-endian.
 *
 * <pre>
 *  bits  0-23  length of the content, 0 to {@link #CONTENT_MAX}
 *  bits 24-31  {@link #DATA} or {@link #END}
 *  bits 32-63  how far the sender has read the stream of the other direction, the low bits
 * </pre>
 */
final class StreamRecord {
    static final int HEADER = Long.BYTES;
    static final int CONTENT_MAX = 64 << 10;

    /** Content; without any, the header only says how far the sender has read. */
    static final int DATA = 1;
    /** The stream ends: one byte without a meaning, so that its arrival counts. */
    static final int END = 2;

    private StreamRecord() {}

    static long of(int kind, int length, long read) {
        return length | (long) kind << 24 | read << 32;
    }

    /** The same header for the rest of the content. */
    static long shortened(long header, int cut) {
        return header - cut;
    }

    static int length(long header) {
        return (int) header & 0xFFFFFF;
    }

    static int kind(long header) {
        return (int) header >>> 24;
    }

    static int read(long header) {
        return (int) (header >>> 32);
    }

    /** Whether a peer may send this header. */
    static boolean isValid(long header) {
        return switch (kind(header)) {
            case DATA -> length(header) <= CONTENT_MAX;
            case END -> length(header) == 1;
            default -> false;
        };
    }
}
