package io.fairlead.transport.ucx;

/**
 * The layout of a batch: one UCX message with the short messages of an endpoint, in the order of their posts. It has the
 * UCX tag of a {@link TransportMessage} of kind {@link TransportMessage#BATCH}. Words are in native order.
 *
 * <pre>
 *  at 0  the number of messages outside of batches sent before: tagged ones in the low half, the others in the high half;
 *        of an endpoint with a {@link LeavableLanes} the number of the peer's batches that were read
 *  at 8  records, each at a multiple of 8:
 *        at 0   length of the payload in 32 bits, kind in 8, target of an active message in 16
 *        at 8   tag of a tagged message; else 0
 *        at 16  payload; for an active message header and payload
 * </pre>
 *
 * <p>UCX delivers batches and other messages in the order of their posts, but to two queues: batches match receives of
 * the worker, the others wait until they are claimed. Therefore both sides count the others.
 */
final class Batch {
    static final int TAGGED = 1;
    static final int ACTIVE = 2;

    // Kinds of endpoints with a LaneSwitch, whose batches carry everything that has to be in order.

    /** A signal, or a message of served memory. */
    static final int SIGNAL = 3;

    static final int SERVED = 4;
    /** The first part of an eager message, behind 8 bytes with its length, and a further one. */
    static final int TAGGED_BEGIN = 5;

    static final int ACTIVE_BEGIN = 6;
    static final int PART = 7;
    /**
     * Announces a message whose payload is a UCX message, or, with the complement of its length, comes when asked for: 8
     * bytes with that, and the header of an active one.
     */
    static final int TAGGED_LONG = 8;

    static final int ACTIVE_LONG = 9;
    /** Its number is in place of a tag: the peer has it, or asks for its payload; and a part of that. */
    static final int LONG_DONE = 10;

    static final int LONG_WANTED = 11;
    static final int LONG_PART = 12;
    /** Asks how many batches were read. */
    static final int REPORT = 13;

    /** Where the first record begins. */
    static final int RECORDS = Long.BYTES;

    static final int RECORD_TAG = Long.BYTES;
    static final int RECORD_PAYLOAD = 2 * Long.BYTES;

    private static final int KIND_SHIFT = 32;
    private static final int KIND_MASK = 0xFF;
    private static final int TARGET_SHIFT = 40;
    private static final int TARGET_MASK = 0xFFFF;

    private Batch() {}

    /** The first word of a batch. */
    static long counts(int tagged, int others) {
        return (long) others << Integer.SIZE | Integer.toUnsignedLong(tagged);
    }

    static int tagged(long counts) {
        return (int) counts;
    }

    static int others(long counts) {
        return (int) (counts >>> Integer.SIZE);
    }

    /** The first word of a record. */
    static long word(int kind, int target, int length) {
        return (long) target << TARGET_SHIFT | (long) kind << KIND_SHIFT | length;
    }

    /** The length of a payload; untrusted, may be negative. */
    static int length(long word) {
        return (int) word;
    }

    static int kind(long word) {
        return (int) (word >>> KIND_SHIFT) & KIND_MASK;
    }

    static int target(long word) {
        return (int) (word >>> TARGET_SHIFT) & TARGET_MASK;
    }

    /** The bytes of a whole record. */
    static int recordLength(int payload) {
        return RECORD_PAYLOAD + (payload + Long.BYTES - 1 & -Long.BYTES);
    }
}
