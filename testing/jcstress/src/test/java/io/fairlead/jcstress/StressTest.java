package io.fairlead.jcstress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * What two threads may see of each other, tried by jcstress many thousand times each.
 *
 * <p>The system property {@value #ARGUMENTS} replaces the arguments that keep it short, such as {@code -m default}.
 */
@Timeout(3600)
final class StressTest {
    private static final String ARGUMENTS = "fairlead.jcstress.arguments";
    /** One JVM for each test, with the compilers as they are by default: seconds instead of minutes. */
    private static final String SHORT = "-jvmArgs -Xshare:auto -sc false -f 1 -iters 5 -time 100";

    private static final Pattern PASSED =
            Pattern.compile("(\\d+) planned; (\\d+) passed, 0 failed, 0 soft errs, 0 hard errs");
    private static final int RUNS_MAX = 20;
    private static final Path FOLDER = Path.of(System.getProperty("fairlead.jcstress.folder"));

    private record Run(int status, String output) {}

    @Test
    void shouldSeeNothingForbidden(TestReporter reporter) throws Exception {
        Run run = run("io\\.fairlead\\..*Stress");
        assertEquals(0, run.status, run.output);
        int tests = tests();
        assertTrue(tests >= 10, "tests=" + tests);
        // The last line has all.
        MatchResult counts = PASSED.matcher(run.output).results().toList().getLast();
        assertEquals(counts.group(1), counts.group(2), run.output);
        assertEquals(0, Integer.parseInt(counts.group(1)) % tests, run.output);
        reporter.publishEntry("tests=" + tests);
    }

    @Test
    void shouldFindAPlantedFault() throws Exception {
        Run run = run("io\\.fairlead\\.jcstress\\.PlantedFault");
        // Beside other work its threads may hardly ever run at the same time.
        for (int again = 0; run.status == 0 && again < RUNS_MAX; again++) {
            run = run("io\\.fairlead\\.jcstress\\.PlantedFault");
        }
        assertNotEquals(0, run.status, run.output);
        assertTrue(run.output.contains("both miss each other"), run.output);
    }

    /** The number of tests in the folder of classes. */
    private static int tests() throws Exception {
        Path classes = Path.of(StressTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            return (int) files.filter(file -> file.toString().endsWith("Stress.class"))
                    .count();
        }
    }

    private static Run run(String tests) throws IOException, InterruptedException {
        Files.createDirectories(FOLDER);
        Path output = Files.createTempFile(FOLDER, "run", ".txt");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                "org.openjdk.jcstress.Main",
                "-t",
                tests,
                "-c",
                "2",
                "-spinStyle",
                "THREAD_YIELD",
                "-strideSize",
                "128",
                "-strideCount",
                "8",
                "-r",
                FOLDER.toString()));
        command.addAll(List.of(System.getProperty(ARGUMENTS, SHORT).split(" ")));
        Process process = new ProcessBuilder(command)
                .directory(FOLDER.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            return new Run(process.waitFor(), Files.readString(output));
        } finally {
            process.destroyForcibly();
        }
    }
}
