package io.fairlead.internal.events;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException.Reason;
import java.net.InetSocketAddress;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class OutagesTest {
    private final Outages outages = new Outages();

    private static InetSocketAddress address(int port) {
        return InetSocketAddress.createUnresolved("host", port);
    }

    @Test
    void shouldTellTheFirstFailureForAReasonUntilTheOutageEnds() {
        outages.end(address(1));
        assertTrue(outages.add(address(1), Reason.CONNECTION_REFUSED));
        assertFalse(outages.add(address(1), Reason.CONNECTION_REFUSED));
        assertTrue(outages.add(address(1), Reason.TIMED_OUT));
        assertFalse(outages.add(address(1), Reason.CONNECTION_REFUSED));
        assertTrue(outages.add(address(2), Reason.CONNECTION_REFUSED));
        outages.end(address(1));
        assertTrue(outages.add(address(1), Reason.CONNECTION_REFUSED));
        assertFalse(outages.add(address(2), Reason.CONNECTION_REFUSED));
    }

    @Test
    void shouldRememberHundredsOfAddresses() {
        IntStream.rangeClosed(1, 300).forEach(port -> outages.add(address(port), Reason.CONNECTION_REFUSED));
        long again = IntStream.rangeClosed(1, 300)
                .filter(port -> outages.add(address(port), Reason.CONNECTION_REFUSED))
                .count();
        // Two that share a slot take it from each other.
        assertTrue(again < 150, () -> "forgotten: " + again);
    }
}
