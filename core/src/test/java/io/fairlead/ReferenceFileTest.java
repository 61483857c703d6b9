package io.fairlead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.config.ConfigKey;
import io.fairlead.config.ConfigKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The reference file says what the keys say. */
@Timeout(60)
final class ReferenceFileTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));
    private static final Path FILE = MODULE.resolve("../config/fairlead.conf");
    private static final String MODULES = "\n# --- ";

    @TempDir
    private Path folder;

    @Test
    void shouldHoldExactlyTheKeysOfTheCore() throws IOException {
        String file = Files.readString(FILE);
        int transports = file.indexOf(MODULES, file.indexOf("--- core ---"));
        String others = transports < 0 ? "" : file.substring(transports);
        String expected = FairleadConfig.defaults().reference();
        assertEquals(
                expected + others,
                file,
                "config/fairlead.conf is not what the keys say; ReferenceConfigurationTest of cli rewrites it with"
                        + " -Dfairlead.reference=rewrite");
    }

    @Test
    void shouldHoldNothingBehindTheCoreButKeysOfTheModuleInTheTitle() throws IOException {
        String file = Files.readString(FILE);
        String transport = "";
        for (String line : file.lines().toList()) {
            if (line.startsWith(MODULES.strip()) && !line.contains("core")) {
                transport = line.split(" ")[2];
            } else if (!transport.isEmpty() && line.matches("# [a-z0-9.-]+ = .*")) {
                assertTrue(line.startsWith("# " + transport + "."), line);
            }
        }
    }

    @Test
    void shouldBeAFileThatChangesNothing() throws IOException {
        String uncommented = FairleadConfig.defaults()
                .reference()
                .lines()
                .map(line -> line.matches("# [a-z0-9.-]+ = .*") ? line.substring(2) : line)
                .collect(Collectors.joining("\n"));
        FairleadConfig config = FairleadConfig.load(Files.writeString(folder.resolve("all.conf"), uncommented));
        for (ConfigKey<?> key : ConfigKeys.all()) {
            assertEquals(key.defaultValue(), config.value(key), key.name());
            assertTrue(config.origin(key).contains("all.conf:"), key.name());
        }
    }

    @Test
    void shouldGiveTransportsSectionsOfTheirOwn() {
        ConfigKey<Integer> key = ConfigKey.count("pigeon.flights-max", 3, 1, 9, "Pigeons in flight.");
        String reference = FairleadConfig.defaults().with(key, 4).reference();
        assertTrue(reference.startsWith(FairleadConfig.defaults().reference()));
        assertTrue(reference.endsWith("""

                # --- pigeon ---

                # Pigeons in flight.
                # Type: number. Default: 3.
                # Range: 1 to 9.
                # Environment: FAIRLEAD_PIGEON_FLIGHTS_MAX
                # pigeon.flights-max = 3
                """));
    }
}
