package io.fairlead.testkit.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fairlead.spi.Availability;
import io.fairlead.spi.TransportProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes that start where UCX is short of shared memory, or Java of threads. */
@Timeout(120)
final class NodeStartTest {
    /** Of no user that exists: the limit counts what a user has. */
    private static final String USER = "48613";

    @BeforeEach
    void requireUcx() {
        Availability ucx = ServiceLoader.load(TransportProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("ucx"))
                .map(TransportProvider::availability)
                .findFirst()
                .orElseThrow();
        assumeTrue(ucx.available(), ucx::cause);
    }

    @Test
    void shouldStartANodeWhoseThreadsFillTheSharedMemory() throws IOException, InterruptedException {
        String mount = "mount -t tmpfs -o size=32m tmpfs /dev/shm";
        assumeTrue(run("unshare -m sh -c '" + mount + "'").exit() == 0, "this user may mount nothing");
        Result result = run("unshare -m sh -c \"" + mount + " && exec " + program("many-threads") + "\"");
        assertEquals(0, result.exit(), result::output);
        assertEquals("node: received 100000 bytes", result.line("node: "), result::output);
        assertTrue(result.output().contains("no UCX worker can be made: /dev/shm: size=32 MiB"), result::output);
    }

    /** Runs it where root's threads are not counted; this user may read what is root's all the same. */
    @Test
    void shouldRefuseANodeWhoseThreadCannotBeStarted() throws IOException, InterruptedException {
        String limited = "setpriv --reuid=" + USER + " --regid=" + USER + " --clear-groups"
                + " --inh-caps=-all,+dac_override,+dac_read_search --ambient-caps=-all,+dac_override,+dac_read_search"
                + " bash -c \"ulimit -u 60 && ";
        assumeTrue(run(limited + "true\"").exit() == 0, "this user may not become another");
        Result result = run(limited + "exec " + program("without-threads") + "\"");
        assertEquals(0, result.exit(), result::output);
        assertTrue(result.line("refused: ").startsWith("refused: LIMIT_REACHED "), result::output);
        assertTrue(result.line("refused: ").contains("ulimit -u"), result::output);
    }

    private static String program(String mode) {
        return String.join(
                " ",
                "'" + Path.of(System.getProperty("java.home"), "bin", "java") + "'",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                "'" + System.getProperty("java.class.path") + "'",
                NodeStartProgram.class.getName(),
                mode);
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
