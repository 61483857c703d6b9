package io.fairlead.spi.served;

/**
 * How much a transport lets its served memory send at a time. Both sides of a connection have the same.
 *
 * @param dataMax the most bytes of data that one message carries, 1 to 2^30
 * @param copyMax up to this many bytes the channel copies the data of a message at once, 1 to {@code dataMax}; longer data it may {@linkplain
 *     ServedChannel.Outcome#BORROWED borrow}
 * @param getMax the most bytes that one request of a get asks for, 1 and up. A channel that holds the owner back by itself when the peer does not
 *     read takes {@link Long#MAX_VALUE}: the owner then cuts the answer. On any other it is at most {@code dataMax}, so that the window
 *     bounds what is on its way
 * @param window how many requests may be without an answer, and how many answers may wait at the owner, 1 and up
 * @param putsPerAnswer every which request of a put asks for an answer, 1 to {@code window}. With 1 a flush behind a put needs no message;
 *     with more the puts themselves cost fewer answers
 */
public record ServedLimits(int dataMax, int copyMax, long getMax, int window, int putsPerAnswer) {
    private static final int DATA_MAX = 1 << 30;

    /** Checks the ranges. */
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
