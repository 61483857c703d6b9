package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The lines of CONTRIBUTING.md, typed into the real launcher over the real sources. Only Maven is another: it notes what it is asked for and
 * says that a test has passed, since a build within the build would wait for its own lock.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ContributingTest {
    private static final Pattern LINE = Pattern.compile("(?m)^\\$ (.*?)(?: +#.*)?$");
    private static final Pattern FILTER = Pattern.compile("-Dtest=(\\S+)");

    @TempDir
    private Path folder;

    private Path calls;
    private String output = "";

    @BeforeEach
    void makeCloneWithAnotherMaven() throws IOException {
        Path root = Repository.root();
        Repository.copyLauncher(folder);
        Files.copy(root.resolve("pom.xml"), folder.resolve("pom.xml"));
        for (Path module : Repository.folders()) {
            Path link = folder.resolve(root.relativize(module).toString());
            Files.createDirectories(link.getParent());
            if (!Files.exists(link)) {
                Files.createSymbolicLink(link, module);
            }
        }
        // Of tools/build the scripts are copied, so that they work in this clone.
        Files.createSymbolicLink(folder.resolve("tools/build/src"), root.resolve("tools/build/src"));
        calls = folder.resolve("calls");
        Path maven = Files.createDirectories(folder.resolve("bin")).resolve("mvn");
        Files.writeString(
                maven,
                "#!/bin/sh\nprintf '%s\\n' \"$*\" >>'" + calls
                        + "'\necho '[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0'\n");
        assertTrue(maven.toFile().setExecutable(true));
    }

    static List<String> linesOfOneModule() throws IOException {
        List<String> lines = lines().stream()
                .filter(line -> line.matches("(tools/build/compile|\\./fairlead test) \\S.*"))
                .toList();
        assertTrue(lines.size() >= 6, lines::toString);
        return lines;
    }

    private static List<String> lines() throws IOException {
        return LINE.matcher(Files.readString(Repository.root().resolve("CONTRIBUTING.md")))
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    @Test
    void shouldHoldNoOtherKindOfLine() throws IOException {
        for (String line : lines()) {
            assertTrue(
                    line.matches("\\./fairlead (test|install)( .*)?")
                            || line.matches(
                                    "tools/build/(compile|format|docs|draw|fuzz|netty-suite|sbom|reproduce|bundle)( .*)?"),
                    () -> "which test runs this line? " + line);
        }
    }

    @ParameterizedTest
    @MethodSource("linesOfOneModule")
    void shouldAskMavenForWhatTheLineSays(String line) throws Exception {
        assertEquals(0, run(line), () -> line + ": " + output);
        List<String> asked = Files.readAllLines(calls);
        assertEquals(1, asked.size(), asked::toString);
        String module = Repository.root()
                .relativize(Repository.module(line.split(" +")[line.startsWith("tools/build/compile") ? 1 : 2]))
                .toString();
        assertTrue(asked.getFirst().contains("--projects " + module + " --also-make"), asked::toString);
        assertFalse(asked.getFirst().contains("install"), asked::toString);
        for (String option : line.split(" +")) {
            assertTrue(!option.startsWith("-D") || asked.getFirst().contains(option), asked::toString);
        }
        Matcher filter = FILTER.matcher(asked.getFirst());
        assertEquals(line.contains("./fairlead test"), filter.find());
        if (line.contains("./fairlead test")) {
            for (String test : filter.group(1).split(",", -1)) {
                // A pattern stands for suites that a class of the module runs.
                if (!test.contains("*")) {
                    assertThere(module, test);
                }
            }
        }
    }

    /** The class is in the module, or a suite that the module runs, and has the method. */
    private static void assertThere(String module, String test) throws IOException {
        String[] parts = test.split("#", -1);
        String file = parts[0].replace('.', '/') + ".java";
        Path own = Repository.root().resolve(module).resolve("src/test/java").resolve(file);
        Path there = Stream.of(own, suite("testkit", file), suite("layers", file))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no such test: " + test));
        if (parts.length > 1) {
            String source = Files.readString(there);
            assertTrue(source.contains("void " + parts[1] + "("), test);
        }
    }

    private static Path suite(String module, String file) throws IOException {
        return Repository.module(module).resolve("src/main/java").resolve(file);
    }

    @Test
    void shouldAskMavenToFuzz() throws Exception {
        List<String> fuzzing = lines().stream()
                .filter(line -> line.startsWith("tools/build/fuzz"))
                .toList();
        assertFalse(fuzzing.isEmpty());
        for (String line : fuzzing) {
            assertEquals(0, run(line), () -> line + ": " + output);
            String asked = Files.readAllLines(calls).getLast();
            assertTrue(asked.contains("--projects testing/fuzz --also-make test -Dtest=FuzzTest"), asked);
            assertTrue(asked.contains("-Dfairlead.fuzz.surfaces=" + line.split(" +")[1] + " "), asked);
        }
        assertEquals(2, run("tools/build/fuzz --runs many"), output);
        assertEquals(2, run("tools/build/fuzz --minutes 3"), output);
    }

    @Test
    void shouldAskMavenWhatComesWithTheArtifacts() throws Exception {
        assertTrue(lines().contains("tools/build/sbom"), "CONTRIBUTING.md does not name it");
        // The other Maven writes no bill.
        assertEquals(1, run("tools/build/sbom"), output);
        List<String> asked = Files.readAllLines(calls);
        assertEquals(2, asked.size(), asked::toString);
        assertTrue(asked.getFirst().contains(":cyclonedx-maven-plugin:makeAggregateBom"), asked::toString);
        assertTrue(asked.getLast().contains(":collect -DincludeScope=runtime"), asked::toString);
        assertEquals(2, run("tools/build/sbom core"), output);
    }

    @Test
    void shouldAskMavenForTheLibrariesOfTheJavadoc() throws Exception {
        assertTrue(lines().contains("tools/build/docs"), "CONTRIBUTING.md does not name it");
        // The other Maven fetches none.
        assertEquals(1, run("tools/build/docs"), output);
        List<String> asked = Files.readAllLines(calls);
        assertEquals(1, asked.size(), asked::toString);
        assertTrue(asked.getFirst().contains("--projects core,node,services,"), asked::toString);
        assertTrue(
                asked.getFirst().contains(" dependency:copy-dependencies -DexcludeGroupIds=io.fairlead"),
                asked::toString);
        assertEquals(2, run("tools/build/docs core"), output);
    }

    @ParameterizedTest
    @CsvSource({"the same bytes, 0", "$PWD, 1", "$TZ, 1"})
    void shouldCompareTheBytesOfTwoBuilds(String content, int status) throws Exception {
        assertTrue(lines().contains("tools/build/reproduce"), "CONTRIBUTING.md does not name it");
        Files.copy(Repository.root().resolve("LICENSE"), folder.resolve("LICENSE"));
        for (String empty : List.of("config", ".mvn", "tools/build/config", "tools/build/src")) {
            Files.createDirectories(folder.resolve(empty));
        }
        Files.writeString(
                folder.resolve("bin/mvn"),
                "#!/bin/sh\nmkdir -p core/target && printf '%s' \"" + content + "\" >core/target/fairlead-core.jar\n");
        assertEquals(status, run("tools/build/reproduce"), output);
        assertTrue(output.contains("jars built twice: 1, differing: " + status), output);
        assertEquals(status == 0, output.contains("  fairlead-core.jar"), output);
    }

    @ParameterizedTest
    @CsvSource({
        "./fairlead test nowhere, 2",
        "tools/build/compile core/src, 2",
        "./fairlead test core NoSuchTest, 1",
        "./fairlead test core ConfigKeysTest NoSuchTest, 1"
    })
    void shouldRefuseWhatIsNotThere(String line, int status) throws Exception {
        assertEquals(status, run(line), output);
        assertTrue(output.startsWith("fairlead: no "), output);
        assertFalse(Files.exists(calls));
    }

    @Test
    void shouldFailWhereNoTestRan() throws Exception {
        Files.writeString(folder.resolve("bin/mvn"), "#!/bin/sh\necho '[INFO] BUILD SUCCESS'\n");
        assertEquals(1, run("./fairlead test core 'ConfigKeysTest#shouldNotBeThere'"));
        assertTrue(output.contains("no test ran"), output);
    }

    @Test
    void shouldNameWhatHasALicenceThatIsNotAllowed() throws Exception {
        Files.writeString(folder.resolve("bin/mvn"), """
                #!/bin/sh
                echo "[WARNING] License: 'Other (2)' used by 2 dependencies:"
                echo " -Some (very) good library (org.some:library:1.2 - https://some.org/a - b)"
                echo " -Another (org.another:library:3 - no url defined)"
                exit 1
                """);
        assertEquals(1, run("./fairlead test core ConfigKeysTest"));
        for (String dependency : List.of("org.some:library:1.2", "org.another:library:3")) {
            assertTrue(
                    output.contains(dependency
                            + " has the licence \"Other (2)\", which is not in tools/build/config/licences.txt"),
                    output);
        }
    }

    @Test
    void shouldFailWhereMavenFails() throws Exception {
        Files.writeString(folder.resolve("bin/mvn"), "#!/bin/sh\necho '[ERROR] Broken.java: bad'\nexit 1\n");
        assertEquals(1, run("tools/build/compile core"));
        assertTrue(output.contains("Broken.java: bad"), output);
        assertEquals(1, run("./fairlead test core ConfigKeysTest"));
        assertTrue(output.contains("Broken.java: bad"), output);
    }

    private int run(String line) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", line)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
        Process process = builder.start();
        process.getOutputStream().close();
        output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(50, TimeUnit.SECONDS));
        return process.exitValue();
    }
}
