package io.fairlead.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher in a folder of its own, with a JDK and a package manager that only note how they are called. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LauncherTest {
    private static final String HASH = "0000000000000000";

    @TempDir
    private Path folder;

    /** What the launcher said last. */
    private String output = "";

    @ParameterizedTest
    @ValueSource(strings = {"roce-test --suite bogus", "perf --compare --bogus", "bench --bogus"})
    void shouldLookAtTheCommandLineBeforeItInstallsAnything(String commandLine) throws Exception {
        List<String> calls = launch(commandLine, 2);
        assertEquals(1, calls.size(), calls::toString);
        assertTrue(calls.getFirst().contains("java -Dfairlead.parse-only=true"), calls::toString);
        assertTrue(calls.getFirst().endsWith(commandLine), calls::toString);
    }

    @Test
    void shouldRunACommandThatNeedsNothing() throws Exception {
        List<String> calls = launch("info", 2);
        assertEquals(1, calls.size(), calls::toString);
        assertTrue(calls.getFirst().startsWith("java --enable-native-access=ALL-UNNAMED"), calls::toString);
    }

    /** Where UCX is missing, as in all cases here, what takes shared memory or TCP neither installs it nor mentions it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --json",
                "demo --policy shm",
                "demo --policy=tcp-only --json",
                "pub ucx",
                "perf --transport=tcp",
                "demo --policy ucx --help"
            })
    void shouldNotWantUcxForWhatRunsWithoutIt(String commandLine) throws Exception {
        assumeFalse(Files.exists(Path.of("/sys/class/infiniband")), "a host with RDMA wants UCX");
        List<String> calls = launch(commandLine, 0);
        assertEquals(1, calls.size(), calls::toString);
        assertTrue(calls.getFirst().endsWith(commandLine), calls::toString);
        assertFalse(output.contains("UCX"), output);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo --policy ucx --json",
                "perf --transport=ucx",
                "pub lines --set policy=ucx",
                "sub lines --policy=require-rdma"
            })
    void shouldOfferUcxToWhomItIsNamed(String commandLine) throws Exception {
        List<String> calls = launch(commandLine, 0);
        assertTrue(calls.getLast().endsWith(commandLine), calls::toString);
        assertTrue(
                output.contains("without UCX, so without RDMA; for it run: sudo apt-get install")
                        && output.contains("libucx0"),
                output);
    }

    /** Where a comparison goes on without UCX's C program, as it does for an ordinary user, the launcher names the remedy. */
    @ParameterizedTest
    @ValueSource(strings = {"bench --quick", "bench latency --json report", "bench --json report rma"})
    void shouldOfferTheProgramThatFairleadIsComparedWith(String commandLine) throws Exception {
        List<String> calls = launch(commandLine, 0);
        assertTrue(calls.getLast().endsWith(commandLine), calls::toString);
        assertTrue(output.contains("for them run: sudo apt-get install") && output.contains("ucx-utils"), output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench pubsub --quick", "bench --help", "bench tls"})
    void shouldNotOfferItToComparisonsWithoutIt(String commandLine) throws Exception {
        List<String> calls = launch(commandLine, 0);
        assertEquals(1, calls.size(), calls::toString);
        assertFalse(output.contains("ucx-utils"), output);
    }

    @Test
    void shouldTellHowTestsAreRunWithoutRunningThem() throws Exception {
        assertEquals(List.of(), launch("test --help", 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"test --bogus", "install --bogus", "install core"})
    void shouldRefuseWhatMavenDoesNotTake(String commandLine) throws Exception {
        assertEquals(List.of(), launch(commandLine, 0, 2, ""));
        assertTrue(output.matches("fairlead: n[^\n]*: (--bogus|core); [^\n]*\n"), output);
    }

    /** Maven leaves modules out that need one which has failed, so that a failed test must not fail its module. */
    @Test
    void shouldTestAllModulesWhateverFails() throws Exception {
        List<String> calls = launch("test", 1, 1, "[INFO] BUILD SUCCESS");
        List<String> maven =
                calls.stream().filter(call -> call.startsWith("mvn ")).toList();
        assertTrue(maven.getFirst().contains(" --fail-at-end "), maven::toString);
        assertTrue(maven.getFirst().endsWith(" -DskipTests install"), maven::toString);
        assertTrue(maven.size() > 10, maven::toString);
        for (String run : maven.subList(1, maven.size())) {
            assertTrue(run.contains(" surefire:test@") && run.contains(" -Dmaven.test.failure.ignore=true"), run);
        }
        assertTrue(calls.getLast().contains("TestTotals.java"), calls::toString);
        assertTrue(output.contains("a test failed, or none ran"), output);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[ERROR] There are test failures.",
                "[ERROR] org.apache.maven.surefire.booter.SurefireBooterForkException: The forked VM terminated without properly saying goodbye.",
                "[ERROR] There was a timeout or other error in the fork"
            })
    void shouldFailWhereTestsLeftNoReport(String said) throws Exception {
        launch("test", 0, 1, said);
        assertTrue(output.contains("a JVM with tests ended before they did"), output);
    }

    @Test
    void shouldPassWhereAllTestsDid() throws Exception {
        launch("test", 0, 0, "[INFO] BUILD SUCCESS");
        assertFalse(output.contains("a test failed"), output);
    }

    @Test
    void shouldGiveTheCommandNoClosedDescriptor() throws Exception {
        launch("info", 2);
        Path java = folder.resolve("jdk/bin/java");
        Path seen = folder.resolve("seen");
        Files.writeString(java, "#!/bin/bash\nfor fd in 0 1 2; do readlink /proc/$$/fd/$fd; done >" + seen + "\n");
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", "bash " + folder.resolve("fairlead") + " info <&- >&- 2>&-");
        builder.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        builder.environment().put("PATH", folder.resolve("jdk/bin") + ":" + withoutPerftest());
        Process process = builder.start();
        assertTrue(process.waitFor(50, TimeUnit.SECONDS));
        assertEquals("/dev/null", Files.readAllLines(seen).getFirst());
        assertEquals("/dev/null", Files.readAllLines(seen).getLast());
    }

    @Test
    void shouldStartFromTheCacheThatTheBuildMade() throws Exception {
        Path cache = folder.resolve("target/dist").resolve(HASH).resolve("start.aot");
        Files.createDirectories(cache.getParent());
        Files.createFile(cache);
        List<String> calls = launch("info", 0);
        assertEquals(1, calls.size(), calls::toString);
        assertTrue(calls.getFirst().contains("-XX:AOTCache=" + cache), calls::toString);
        assertTrue(calls.getFirst().endsWith("info"), calls::toString);
    }

    /** Every program that is called notes its command line; java ends with the status, and so does the launcher. */
    private List<String> launch(String commandLine, int javaStatus) throws Exception {
        return launch(commandLine, javaStatus, javaStatus, "");
    }

    /** Maven says a line, and succeeds if there is one. */
    private List<String> launch(String commandLine, int javaStatus, int status, String mavenSays) throws Exception {
        Path root = RepositoryRoot.path();
        Path launcher = Files.copy(root.resolve("fairlead"), folder.resolve("fairlead"));
        for (String part : List.of("lib/common.sh", "lib/packages.sh", "lib/maven.sh", "test", "totals", "install")) {
            Path copy = folder.resolve("tools/build").resolve(part);
            Files.createDirectories(copy.getParent());
            Files.copy(root.resolve("tools/build").resolve(part), copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
        Files.createDirectories(folder.resolve("tools/build/config"));
        Path jdk = Files.createDirectories(folder.resolve("jdk"));
        Path bin = Files.createDirectories(jdk.resolve("bin"));
        Path log = folder.resolve("calls");
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25\"\n");
        program(bin, "java", log, javaStatus);
        for (String name : List.of("javac", "apt-get", "mvn")) {
            program(bin, name, log, 1);
        }
        if (!mavenSays.isEmpty()) {
            Files.writeString(
                    bin.resolve("mvn"),
                    "#!/bin/sh\necho \"mvn $*\" >>'" + log + "'\necho '" + mavenSays + "'\nexit 0\n");
        }
        // Nothing is installed, as dpkg-query sees it, and there is no ucx_perftest.
        Files.writeString(bin.resolve("dpkg-query"), "#!/bin/sh\nexit 1\n");
        Files.writeString(bin.resolve("sha1sum"), "#!/bin/sh\ncat >/dev/null\necho " + HASH + "00000000\n");
        // No UCX, as the dynamic linker sees it.
        Files.writeString(bin.resolve("ldconfig"), "#!/bin/sh\n");
        for (String name : List.of("dpkg-query", "sha1sum", "ldconfig")) {
            assertTrue(bin.resolve(name).toFile().setExecutable(true));
        }
        Files.createDirectories(folder.resolve("target/dist").resolve(HASH));
        Files.createDirectories(folder.resolve("target/bench").resolve(HASH));
        Files.writeString(folder.resolve("pom.xml"), "  <module>module</module>\n");
        for (String source : List.of("LICENSE", "config", ".mvn")) {
            Files.createFile(folder.resolve(source));
        }
        Files.createDirectories(folder.resolve("module/src/main"));
        Files.createFile(folder.resolve("module/pom.xml"));
        List<String> command = new ArrayList<>(List.of("bash", launcher.toString()));
        command.addAll(List.of(commandLine.split(" ", -1)));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("FAIRLEAD_") || name.equals("LD_LIBRARY_PATH"));
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("HOME", folder.resolve("home").toString());
        builder.environment().put("PATH", bin + ":" + withoutPerftest());
        Process process = builder.start();
        output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(50, TimeUnit.SECONDS));
        assertEquals(status, process.exitValue(), output);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    /** A folder with links to what the launcher wants of the system. */
    private String withoutPerftest() throws IOException {
        Path tools = Files.createDirectories(folder.resolve("system"));
        for (String name : List.of(
                "bash",
                "sh",
                "cat",
                "dirname",
                "readlink",
                "find",
                "sort",
                "xargs",
                "cut",
                "mkdir",
                "uname",
                "grep",
                "flock",
                "touch",
                "rm",
                "tee",
                "env",
                "sed",
                "head",
                "tail",
                "awk",
                "ln",
                "nproc")) {
            for (String at : List.of("/usr/bin/", "/bin/")) {
                if (Files.exists(Path.of(at + name)) && !Files.exists(tools.resolve(name))) {
                    Files.createSymbolicLink(tools.resolve(name), Path.of(at + name));
                }
            }
        }
        return tools.toString();
    }

    private static void program(Path folder, String name, Path log, int status) throws IOException {
        Path file = Files.writeString(
                folder.resolve(name), "#!/bin/sh\necho \"" + name + " $*\" >>'" + log + "'\nexit " + status + "\n");
        assertTrue(file.toFile().setExecutable(true));
    }
}
