package io.fairlead.internal.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import org.junit.jupiter.api.Test;

class ListenRefusalTest {
    private static final InetSocketAddress ADDRESS = InetSocketAddress.createUnresolved("host.example", 7400);

    @Test
    void shouldAdviseAnotherPortWhereThePortIsTaken() {
        FairleadException taken = CoreListener.refused(ADDRESS, new BindException("Address already in use"));
        assertEquals(Reason.ADDRESS_UNAVAILABLE, taken.reason());
        assertMentions("address=host.example:7400", taken);
        assertMentions("choose another port", taken);
    }

    @Test
    void shouldAdviseMoreDescriptorsWhereNoneIsLeft() {
        FairleadException none = CoreListener.refused(ADDRESS, new SocketException("Too many open files"));
        assertEquals(Reason.LIMIT_REACHED, none.reason());
        assertMentions("address=host.example:7400", none);
        assertMentions("ulimit -n", none);
    }

    private static void assertMentions(String words, FairleadException failure) {
        assertTrue(String.valueOf(failure.getMessage()).contains(words), failure::getMessage);
    }
}
