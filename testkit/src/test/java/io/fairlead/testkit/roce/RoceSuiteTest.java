package io.fairlead.testkit.roce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every suite needs to start at all, since few machines run them. */
@Timeout(60)
final class RoceSuiteTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(RoceSuite.class)
    void shouldHaveAScriptThatTheShellReads(RoceSuite suite) throws IOException, InterruptedException {
        Path script = GuestImage.copy(suite.script(), folder);
        Process shell = new ProcessBuilder("bash", "-n", script.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(shell.waitFor(30, TimeUnit.SECONDS));
        assertEquals(0, shell.exitValue(), said);
    }
}
