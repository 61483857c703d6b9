package io.fairlead.transport.ucx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** UCX in a container's 2 MiB of shared memory, played with a mount namespace, for which one must be root. */
@Timeout(120)
final class SmallSharedMemoryTest {
    private static final String MOUNT = "mount -t tmpfs -o size=2m tmpfs /dev/shm";

    @Test
    void shouldNameTheSpaceThatIsMissing() throws IOException, InterruptedException {
        assumeTrue(
                new UcxProvider().availability().available(),
                () -> new UcxProvider().availability().cause());
        assumeTrue(run(MOUNT).exit() == 0, "this user may mount nothing, not even for itself");
        Result result = run(MOUNT + program());
        assertEquals(0, result.exit(), result::output);
        assertTrue(
                line(result, "availability: ").contains("/dev/shm: size=2 MiB")
                        && line(result, "availability: ").contains("enlarge it"),
                result::output);
        // Asked for all the same, it fails before UCX is asked.
        String worker = line(result, "worker: ");
        assertTrue(
                worker.contains("LIMIT_REACHED no UCX worker can be made: /dev/shm: ") && worker.contains("size=2 MiB"),
                result::output);
    }

    private static String program() {
        return " && exec '" + Path.of(System.getProperty("java.home"), "bin", "java")
                + "' --enable-native-access=ALL-UNNAMED -cp '" + System.getProperty("java.class.path") + "' "
                + SmallSharedMemoryProgram.class.getName();
    }

    private static String line(Result result, String start) {
        return result.output()
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElse("");
    }

    private record Result(int exit, String output) {}

    private static Result run(String script) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of("unshare", "-m", "sh", "-c", script))
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
