package io.fairlead.system.network;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Locale;

/**
 * What had been held back by a time, which shows that faults of the wire have really happened.
 *
 * @param delayed packets that the wire delivered later
 * @param overtaken packets that the wire delivered after later ones
 * @param outOfOrder packets that TCP found out of order at the connector's host
 * @param roundTripUs the fastest of the connector's last round trips
 * @param fastestUs the fastest of all of its round trips
 */
record HeldBack(long delayed, long overtaken, long outOfOrder, long roundTripUs, long fastestUs) {
    private static final long ROUND_TRIP_US = 2 * FrameForwarder.DELAY.toNanos() / 1000;

    static HeldBack now(Wire wire, Talker connector) throws IOException {
        return new HeldBack(
                wire.delayed(),
                wire.overtaken(),
                connector.outOfOrder(),
                connector.value("roundTrip"),
                connector.value("fastest"));
    }

    /**
     * Fails unless a fault of the wire has done what its name says.
     *
     * @param before of the time when it began
     * @return the counts; empty for a fault that holds nothing back
     */
    String shows(Fault fault, HeldBack before) {
        return switch (fault) {
            case DELAY -> {
                assertTrue(delayed > before.delayed, () -> fault + " did not happen: " + before + " " + this);
                assertTrue(
                        roundTripUs >= ROUND_TRIP_US && roundTripUs > before.fastestUs,
                        () -> fault + " does not show: " + before + " " + this);
                yield String.format(
                        Locale.ROOT,
                        "%,d packets were delayed, and the fastest round trip took %,d us; the fastest one before, %,d us",
                        delayed - before.delayed,
                        roundTripUs,
                        before.fastestUs);
            }
            case REORDER -> {
                assertTrue(overtaken > before.overtaken, () -> fault + " did not happen: " + before + " " + this);
                assertTrue(outOfOrder > before.outOfOrder, () -> fault + " does not show: " + before + " " + this);
                yield String.format(
                        Locale.ROOT,
                        "%,d packets were overtaken, and TCP found %,d out of order at the connector's host",
                        overtaken - before.overtaken,
                        outOfOrder - before.outOfOrder);
            }
            default -> "";
        };
    }
}
