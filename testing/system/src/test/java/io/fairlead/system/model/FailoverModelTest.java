package io.fairlead.system.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The model of failover, which spin checks: the protocol keeps its promises, and breaks one without any of its rules. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class FailoverModelTest {
    private static final Path MODEL = RepositoryRoot.path().resolve("testing/model");
    private static final int TOOL_MISSING = 77;
    private static final long DEADLINE_S = 280;

    @TempDir
    private static Path folder;

    /** How a run ended, and all that it printed. */
    private record Run(int status, String text) {}

    private static Run check(String argument) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(MODEL.resolve("check").toString(), argument)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), "still checking: " + argument);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), Files.readString(output));
    }

    static List<String> runs() throws IOException, InterruptedException {
        return check("--list").text().lines().toList();
    }

    @ParameterizedTest
    @MethodSource("runs")
    void shouldEndAsExpected(String run) throws Exception {
        Run ended = check(run);
        if (ended.status() == TOOL_MISSING) {
            abort(ended.text());
        }
        assertEquals(0, ended.status(), ended::text);
        assertTrue(ended.text().startsWith(run + ": "), ended::text);
    }

    /** Each rule that the model can leave out has a run, and that run its trail. */
    @Test
    void shouldLeaveOutEachRuleOnce() throws Exception {
        List<String> rules = runs().stream()
                .filter(run -> run.equals(run.toUpperCase(Locale.ROOT)))
                .sorted()
                .toList();
        List<String> trails = new ArrayList<>();
        try (Stream<Path> files = Files.list(MODEL.resolve("trails"))) {
            files.map(file -> file.getFileName().toString().replace(".txt", "")).forEach(trails::add);
        }
        assertEquals(rules, trails.stream().sorted().toList());
        String model = Files.readString(MODEL.resolve("failover.pml"));
        assertEquals(
                rules,
                model.lines()
                        .filter(line -> line.matches("#ifn?def (?!CLOSES|ABORTS)[A-Z_]+( .*)?"))
                        .map(line -> line.split(" ", -1)[1])
                        .distinct()
                        .sorted()
                        .toList());
    }
}
