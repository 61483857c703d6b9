package io.fairlead.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each surface under Jazzer, for two seconds; {@code tools/build/fuzz} takes its time. The properties {@code fairlead.fuzz.seconds},
 * {@code fairlead.fuzz.runs} and {@code fairlead.fuzz.surfaces} say how long, how many inputs, and what.
 */
@Timeout(24 * 3600)
@Execution(ExecutionMode.CONCURRENT)
@EnabledOnOs(
        value = OS.LINUX,
        architectures = "amd64",
        disabledReason = "Jazzer has native parts, which are for others")
final class FuzzTest {
    private static final long BRIEF = 2;
    private static final long SECONDS = Long.getLong("fairlead.fuzz.seconds", BRIEF);
    private static final long RUNS = Long.getLong("fairlead.fuzz.runs", -1);
    private static final String SURFACES = System.getProperty("fairlead.fuzz.surfaces", "");
    private static final Path FOLDER = Path.of(System.getProperty("fairlead.fuzz.folder", "target/fuzz"));

    @ParameterizedTest
    @EnumSource(Surface.class)
    void shouldWithstandWhateverAPeerSends(Surface surface) throws IOException, InterruptedException {
        assumeTrue(SURFACES.isBlank() || List.of(SURFACES.split(",", -1)).contains(surface.label()), "not asked for");
        FuzzRun run = FuzzRun.start(surface.label(), surface.lengthMax(), RUNS < 0 ? SECONDS : 0, RUNS, FOLDER);
        assertEquals(0, run.status(), () -> surface.label() + ": " + words(run));
        assertTrue(run.executions() > 0, () -> "nothing was tried: " + words(run));
        assertTrue(run.edges() > 0, () -> "nothing was instrumented: " + words(run));
        record(surface, run);
    }

    /** Without this, a run without findings could be one that tries nothing. */
    @Test
    void shouldFindAPlantedFault() throws IOException, InterruptedException {
        assumeTrue(SURFACES.isBlank(), "not asked for");
        FuzzRun run = FuzzRun.start(PlantedFault.LABEL, 64, 300, 50_000_000, FOLDER);
        assertNotEquals(0, run.status(), () -> "the planted fault was not found: " + words(run));
        assertTrue(words(run).contains("the planted fault was found"), () -> words(run));
    }

    private static String words(FuzzRun run) {
        try {
            return run.lastWords();
        } catch (IOException unreadable) {
            return "see " + run.log();
        }
    }

    /** A line of a table, in the folder of the build. */
    private static synchronized void record(Surface surface, FuzzRun run) throws IOException {
        String line = String.format(
                Locale.ROOT,
                "| %s | %,d | %,d | %,d | %,d |%n",
                surface.label(),
                run.executions(),
                run.executions() / Math.max(1, run.seconds()),
                run.edges(),
                run.features());
        Files.writeString(FOLDER.resolve("table.md"), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
