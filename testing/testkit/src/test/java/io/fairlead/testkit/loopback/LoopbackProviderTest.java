package io.fairlead.testkit.loopback;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.spi.Availability;
import io.fairlead.spi.TransportProvider;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** An application with the testkit on its path must not get a test transport unasked. */
class LoopbackProviderTest {
    @Test
    void shouldBeSwitchedOffForTheServiceLoader() {
        Availability availability = loaded().availability();
        assertFalse(availability.available());
        assertTrue(availability.cause().contains("-D" + LoopbackProvider.PROPERTY + "=true"), availability::cause);
    }

    @Test
    void shouldBeSwitchedOnByItsSystemProperty() {
        System.setProperty(LoopbackProvider.PROPERTY, "true");
        try {
            assertEquals(Availability.AVAILABLE, loaded().availability());
        } finally {
            System.clearProperty(LoopbackProvider.PROPERTY);
        }
    }

    @Test
    void shouldBeAvailableToWhoeverNamesIt() {
        assertEquals(Availability.AVAILABLE, LoopbackProvider.available().availability());
    }

    @Test
    void shouldHoldTheInboxToItsRange() {
        assertEquals(1, LoopbackProvider.INBOX_MAX.parse("1"));
        assertEquals(1 << 20, LoopbackProvider.INBOX_MAX.parse("1048576"));
        assertThrows(IllegalArgumentException.class, () -> LoopbackProvider.INBOX_MAX.parse("0"));
        assertThrows(IllegalArgumentException.class, () -> LoopbackProvider.INBOX_MAX.parse("1048577"));
    }

    private static TransportProvider loaded() {
        return ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals(LoopbackProvider.NAME))
                .findFirst()
                .orElseThrow();
    }
}
