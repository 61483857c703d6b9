package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.spi.host.HostFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that start where UCX or JUCX is short of something: a folder, shared memory, threads, file descriptors, a flag of Java's. */
@Timeout(120)
final class StartTest {
    private static final String AVAILABLE = "ucx: true ";
    /** Of no user that exists: the limit counts what a user has. */
    private static final String USER = "48613";

    @TempDir
    private Path folder;

    @BeforeEach
    void requireUcx() {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().cause());
    }

    @Test
    void shouldNotLoadUcxWhereNobodyWouldTakeIt() throws IOException, InterruptedException {
        assumeTrue(!new RdmaPorts(new HostFiles(Path.of("/"))).host(UcxKeys.ALL).hasPort(), "this host has RDMA");
        Result unnamed = run("exec " + program("unnamed"));
        assertTrue(unnamed.line("ucx: ").startsWith("ucx: false no RDMA device"), unnamed::output);
        assertTrue(unnamed.line("ucx: ").endsWith("name ucx in transports or policy"), unnamed::output);
        assertEquals("libraries: 0", unnamed.line("libraries: "), unnamed::output);
    }

    @Test
    void shouldStartWithoutATemporaryFolder() throws IOException, InterruptedException {
        Result result = run("exec " + program("start", "-Djava.io.tmpdir=" + folder.resolve("absent")));
        assertEquals(AVAILABLE, result.line("ucx: "), result::output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ro", "noexec", "size=64k"})
    void shouldStartWhereJucxCannotBeUnpacked(String option) throws IOException, InterruptedException {
        String mount = "mount -t tmpfs -o " + option + " tmpfs '" + folder + "'";
        assumeTrue(run("unshare -m sh -c \"" + mount + "\"").exit() == 0, "this user may mount nothing");
        Result result = run(
                "unshare -m sh -c \"" + mount + " && exec " + program("start", "-Djava.io.tmpdir=" + folder) + "\"");
        assertEquals(AVAILABLE, result.line("ucx: "), result::output);
    }

    @Test
    void shouldLeaveNothingInTheTemporaryFolder() throws IOException, InterruptedException {
        Result result = run("exec " + program("start-and-die", "-Djava.io.tmpdir=" + folder));
        assertEquals(AVAILABLE, result.line("ucx: "), result::output);
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(
                    List.of(),
                    left.filter(file -> !file.endsWith("hsperfdata_" + System.getProperty("user.name")))
                            .toList());
        }
    }

    @Test
    void shouldOpenWithoutUcxWhereJucxCannotBeLoadedAtAll() throws IOException, InterruptedException {
        Result result = run("exec " + program("without-memory-file", "-Djava.io.tmpdir=" + folder.resolve("absent")));
        String cause = "JUCX's native library cannot be loaded: from memory: java.io.IOException: refused by the test;"
                + " from java.io.tmpdir=" + folder.resolve("absent");
        assertTrue(result.line("jucx: ").contains(cause), result::output);
        assertTrue(result.line("ucx: ").startsWith("ucx: false " + cause), result::output);
        assertTrue(result.line("ucx: ").contains(JucxLibrary.REMEDY), result::output);
        assertTrue(result.line("connector: ").contains("ucx is unavailable at the connector"), result::output);
    }

    @Test
    void shouldLetJucxUnpackItselfWhereTheKernelRefusesAFileInMemory() throws IOException, InterruptedException {
        Result result = run("exec " + program("without-memory-file", "-Djava.io.tmpdir=" + folder));
        assertEquals("jucx: ", result.line("jucx: "), result::output);
        assertEquals(AVAILABLE, result.line("ucx: "), result::output);
    }

    @Test
    void shouldNameTheVariableThatIsMissing() throws IOException, InterruptedException {
        Result result = run("unset UCX_ERROR_SIGNALS UCX_HANDLE_ERRORS; exec " + program("start"));
        assertNamed(result, "UCX_ERROR_SIGNALS=");
    }

    @Test
    void shouldStartWithoutUcxWhereTheHostsNameIsTooLongForIt() throws IOException, InterruptedException {
        String name = "hostname " + "h".repeat(64);
        assumeTrue(run("unshare -u " + name).exit() == 0, "this user may name no host");
        assertNamed(run("unshare -u sh -c \"" + name + " && exec " + program("start") + "\""), "length=64 bytes");
        Result shorter = run("unshare -u sh -c \"hostname " + "h".repeat(63) + " && exec " + program("start") + "\"");
        assertEquals(AVAILABLE, shorter.line("ucx: "), shorter::output);
    }

    @Test
    void shouldStartWithoutUcxWhereItCannotWriteItsLog() throws IOException, InterruptedException {
        assertNamed(run("export UCX_LOG_FILE=/absent/ucx.log; exec " + program("start")), "UCX_LOG_FILE=/absent");
    }

    @Test
    void shouldNameTheFlagThatIsMissing() throws IOException, InterruptedException {
        String program =
                program("start", "--illegal-native-access=deny").replace("--enable-native-access=ALL-UNNAMED", "");
        assertNamed(run("exec " + program), "--enable-native-access=ALL-UNNAMED");
    }

    private static void assertNamed(Result result, String missing) {
        assertEquals(0, result.exit(), result::output);
        assertTrue(result.line("ucx: ").startsWith("ucx: false "), result::output);
        assertTrue(result.line("ucx: ").contains(missing), result::output);
        assertTrue(result.line("connector: ").contains(missing), result::output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"without-threads", "without-threads-later"})
    void shouldDoWithoutUcxWhereNoThreadCanBeStarted(String when) throws IOException, InterruptedException {
        Result result = runWithFewThreads(when);
        assertEquals(0, result.exit(), result::output);
        assertFalse(result.line("threads: ").isEmpty(), result::output);
        assertTrue(
                result.line("connector: ").contains("ucx is unavailable at the connector")
                        && result.output().contains("no thread can be started, and UCX needs one: pthread_create=11"),
                result::output);
        assertTrue(result.output().contains("ulimit -u=60"), result::output);
    }

    @Test
    void shouldOpenWithoutUcxWhereFewDescriptorsAreLeft() throws IOException, InterruptedException {
        Result result = run("ulimit -n 200 && exec " + program("few-descriptors"));
        assertEquals(0, result.exit(), result::output);
        assertTrue(result.output().contains("ucx: false too few file descriptors are left: free="), result::output);
        assertTrue(result.line("refused: ").startsWith("refused: LIMIT_REACHED "), result::output);
        assertTrue(result.line("refused: ").contains("too few file descriptors are left: free="), result::output);
    }

    @Test
    void shouldMakeNoUcxWorkerWhereFewDescriptorsAreLeft() throws IOException, InterruptedException {
        Result result = run("ulimit -n 200 && exec " + program("few-descriptors-later"));
        assertEquals(0, result.exit(), result::output);
        assertEquals("worker: open", result.line("worker: "), result::output);
        assertTrue(
                result.output().contains("no UCX worker can be made: too few file descriptors are left: free="),
                result::output);
        assertTrue(result.line("refused: ").startsWith("refused: LIMIT_REACHED "), result::output);
    }

    /** Runs it where root's threads are not counted; this user may read what is root's all the same. */
    private static Result runWithFewThreads(String mode) throws IOException, InterruptedException {
        String limited = "setpriv --reuid=" + USER + " --regid=" + USER + " --clear-groups"
                + " --inh-caps=-all,+dac_override,+dac_read_search --ambient-caps=-all,+dac_override,+dac_read_search"
                + " bash -c \"ulimit -u 60 && ";
        assumeTrue(run(limited + "true\"").exit() == 0, "this user may not become another");
        return run(limited + "exec " + program(mode) + "\"");
    }

    private static String program(String mode, String... options) {
        List<String> command = new ArrayList<>(List.of(
                "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "'",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED"));
        Arrays.stream(options).map(option -> "'" + option + "'").forEach(command::add);
        command.addAll(
                List.of("-cp", "'" + System.getProperty("java.class.path") + "'", StartProgram.class.getName(), mode));
        return String.join(" ", command);
    }

    private record Result(int exit, String output) {
        /** The first line that begins so; empty if none does. */
        String line(String start) {
            return output.lines()
                    .filter(line -> line.startsWith(start))
                    .findFirst()
                    .orElse("");
        }
    }

    private static Result run(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bash", "-c", script)
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the program does not end");
            return new Result(process.exitValue(), output);
        } finally {
            process.destroyForcibly();
        }
    }
}
