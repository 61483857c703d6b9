package io.fairlead.spi.served;

/**
 * The limits that a transport sets for its emulated remote memory access. Both sides of a connection must have the
 * same. Immutable and thread-safe.
 *
 * @param dataMax the maximum data of one message in bytes, 1 to 2^30
 * @param copyMax the maximum data in bytes that the channel always copies, 1 to {@code dataMax}; it may
 *     {@linkplain ServedChannel.Outcome#BORROWED borrow} longer data
 * @param getMax the maximum length in bytes of one request of a get, 1 and up. {@link Long#MAX_VALUE} is for a channel
 *     with its own flow control, which stops an owner whose peer does not read; the owner then splits the answer into
 *     messages. For all other channels it is at most {@code dataMax}, so that {@code window} bounds the bytes in flight
 * @param window the maximum number of unanswered requests, and of answers that wait at the owner, 1 to 2^20
 * @param putsPerAnswer one put request out of this many requests an answer, 1 to {@code window}. With 1, a flush after
 *     a put needs no request of its own; with more, puts cost fewer answers
 */
public record ServedLimits(int dataMax, int copyMax, long getMax, int window, int putsPerAnswer) {
    private static final int DATA_MAX = 1 << 30;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if a limit is out of range
     */
    public ServedLimits {
        check("dataMax", dataMax, DATA_MAX);
        check("copyMax", copyMax, dataMax);
        check("getMax", getMax, Long.MAX_VALUE);
        check("window", window, 1 << 20);
        check("putsPerAnswer", putsPerAnswer, window);
    }

    private static void check(String name, long value, long max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(
                    "limit of served memory is out of range: " + name + "=" + value + ", allowed 1 to " + max);
        }
    }
}
