package io.fairlead.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class NodeKeysTest {
    @TempDir
    private Path folder;

    /** The name, default and both sides of both limits of every key with a range. */
    @ParameterizedTest
    @CsvSource({
        "node.threads, 1, 0, 1, 1024, 1025",
        "node.queue-max, 4096, 0, 1, 1048576, 1048577",
        "node.queue-bytes, 64 MiB, 1048575, 1 MiB, 1 GiB, 1073741825",
        "node.wait-timeout, 10 s, 999 us, 1 ms, 1 h, 3600001 ms",
        "node.message-max, 16 MiB, 0, 1 B, 1 GiB, 1073741825",
        "node.requests-max, 768, 0, 1, 65536, 65537",
        "node.discovery-timeout, 5 s, 9999 us, 10 ms, 1 h, 3600001 ms",
        "node.discovery-refresh-min, 1 s, 9999 us, 10 ms, 1 h, 3600001 ms",
        "node.discovery-lease, 10 s, 999 ms, 1 s, 1 h, 3600001 ms"
    })
    void shouldHoldLimits(String name, String defaultText, String below, String min, String max, String above) {
        checkLimits(key(name), defaultText, below, min, max, above);
    }

    private static <T> void checkLimits(
            ConfigKey<T> key, String defaultText, String below, String min, String max, String above) {
        assertEquals(defaultText, key.format(key.defaultValue()));
        assertEquals(min, key.format(key.parse(min)));
        assertEquals(max, key.format(key.parse(max)));
        assertEquals(min + " to " + max, key.range());
        assertThrows(IllegalArgumentException.class, () -> key.parse(below), below);
        assertThrows(IllegalArgumentException.class, () -> key.parse(above), above);
    }

    @Test
    void shouldBeKnownToFiles() throws IOException {
        Path file = Files.writeString(folder.resolve("node.conf"), "node.back-pressure = fail\nnode { threads = 3 }");
        FairleadConfig config = FairleadConfig.load(file);
        assertEquals(BackPressure.FAIL, config.value(NodeKeys.BACK_PRESSURE));
        assertEquals(3, config.value(NodeKeys.THREADS));
        assertTrue(config.reference().contains("\n# --- node ---\n"), config::reference);
    }

    private static ConfigKey<?> key(String name) {
        return new NodeKeys()
                .configKeys().stream()
                        .filter(key -> key.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }
}
