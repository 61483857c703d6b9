package io.fairlead.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fairlead.FairleadConfig;
import io.fairlead.spi.TransportProviders;
import io.fairlead.transport.tcp.TcpProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The reference file lists the keys of the core and of every transport that the command comes with. */
@Timeout(60)
final class ReferenceConfigurationTest {
    private static final Path FILE = Path.of(System.getProperty("basedir", ".")).resolve("../config/fairlead.conf");

    @Test
    void shouldListTheKeysOfTheTransports() throws IOException {
        String expected = TransportProviders.with(List.of(new TcpProvider()), FairleadConfig::load)
                .reference();
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
