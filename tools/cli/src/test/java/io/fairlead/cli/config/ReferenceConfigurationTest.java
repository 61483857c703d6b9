package io.fairlead.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.FairleadConfig;
import io.fairlead.internal.providers.TransportProviders;
import io.fairlead.spi.TransportProvider;
import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reference file lists the keys of the core and of every transport that the command comes with. */
@Timeout(60)
final class ReferenceConfigurationTest {
    private static final Path FILE = RepositoryRoot.path().resolve("config/fairlead.conf");

    /** Tests have loopback beside these. */
    private static final Set<String> SHIPPED = Set.of("shm", "tcp", "ucx");

    @Test
    void shouldListTheKeysOfTheTransports() throws IOException {
        List<TransportProvider> shipped = TransportProviders.present().stream()
                .filter(provider -> SHIPPED.contains(provider.name()))
                .toList();
        assertEquals(SHIPPED.size(), shipped.size(), shipped::toString);
        String expected = TransportProviders.with(shipped, FairleadConfig::load).reference();
        if ("rewrite".equals(System.getProperty("fairlead.reference"))) {
            Files.writeString(FILE, expected);
        } else {
            assertEquals(
                    expected,
                    Files.readString(FILE),
                    "config/fairlead.conf is not what the keys say; run this test with -Dfairlead.reference=rewrite");
        }
    }
}
