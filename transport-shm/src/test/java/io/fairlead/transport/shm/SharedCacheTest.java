package io.fairlead.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SharedCacheTest {
    @TempDir
    Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve("sys/devices/system/cpu").resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text + "\n");
    }

    @ParameterizedTest
    @CsvSource({"0-1, 0-1, true", "0-1, 0, false", "'0-7', '0,4', false", "0, 0, true"})
    void shouldSeeWhetherAllShareTheSecondLevel(String online, String sharing, boolean one) throws IOException {
        write("online", online);
        for (int i = 0; i < 4; i++) {
            write("cpu0/cache/index" + i + "/level", String.valueOf(Math.max(i, 1)));
            write("cpu0/cache/index" + i + "/shared_cpu_list", i == 3 ? online : sharing);
        }
        assertEquals(one, SharedCache.isOneForAll(new HostFiles(root)));
    }

    @Test
    void shouldNotTakeSilenceForOneCache() throws IOException {
        assertFalse(SharedCache.isOneForAll(new HostFiles(root)));
        write("cpu0/cache/index2/level", "2");
        assertFalse(SharedCache.isOneForAll(new HostFiles(root)));
    }
}
