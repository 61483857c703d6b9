package io.fairlead.cli.config;

import static org.junit.jupiter.api.Assertions.fail;

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
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));

    @Test
    void shouldListTheKeysOfTheTransports() throws IOException {
        String expected = TransportProviders.with(List.of(new TcpProvider()), FairleadConfig::load)
                .reference();
        if (!Files.readString(MODULE.resolve("../config/fairlead.conf")).equals(expected)) {
            Path written = Files.writeString(MODULE.resolve("target/fairlead.conf"), expected);
            fail("config/fairlead.conf is not what the keys say; compare it with " + written + " and replace it");
        }
    }
}
