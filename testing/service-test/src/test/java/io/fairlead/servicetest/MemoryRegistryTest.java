package io.fairlead.servicetest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.node.discovery.DiscoveryContext;
import io.fairlead.node.discovery.Resolver;
import io.fairlead.node.discovery.ServiceName;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who is notified of a service's members, and when. */
final class MemoryRegistryTest {
    private static final String NAME = "registry-test";

    private final AtomicInteger changes = new AtomicInteger();

    @AfterEach
    void forget() {
        MemoryRegistry.forget(NAME);
    }

    @Test
    void shouldNotifyThoseWhoHaveAskedForAServiceBeforeItWasKnown() throws Exception {
        try (Resolver resolver = resolver()) {
            assertThrows(FairleadException.class, () -> resolver.resolve(Duration.ofSeconds(1)));
            MemoryRegistry.set(NAME, List.of());
            assertEquals(1, changes.get());
            assertEquals(List.of(), resolver.resolve(Duration.ofSeconds(1)).members());
        }
        MemoryRegistry.set(NAME, List.of());
        assertEquals(1, changes.get());
    }

    private Resolver resolver() {
        return new MemoryRegistry()
                .resolver(
                        ServiceName.parse("memory:" + NAME),
                        new DiscoveryContext(
                                FairleadConfig.defaults(), Duration.ofSeconds(10), changes::incrementAndGet));
    }
}
