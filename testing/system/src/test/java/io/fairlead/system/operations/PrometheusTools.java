package io.fairlead.system.operations;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The programs of Prometheus, from {@code PATH} or from where {@code ./fairlead test} unpacks them. */
record PrometheusTools(Path prometheus, Path promtool) {
    private static final Path UNPACKED = RepositoryRoot.path().resolve("target/tools/prometheus/usr/bin");
    private static final long DEADLINE_S = 120;

    /** Finds them, or skips the test that asks. */
    static PrometheusTools find() {
        return new PrometheusTools(find("prometheus"), find("promtool"));
    }

    private static Path find(String name) {
        Stream<Path> folders = Pattern.compile(":")
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of);
        return Stream.concat(folders, Stream.of(UNPACKED))
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseGet(() -> abort("no " + name + " in PATH or " + UNPACKED.normalize()
                        + "; ./fairlead test fetches it on Debian"));
    }

    /** Runs promtool, which must be content and have nothing to remark. */
    String check(String input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(promtool.toString()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile("fairlead-promtool", ".txt");
        Path given = Files.writeString(Files.createTempFile("fairlead-promtool", ".in"), input);
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(given.toFile())
                    .redirectOutput(output.toFile())
                    .start();
            try {
                assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> command + " did not end");
            } finally {
                process.destroyForcibly();
            }
            String text = Files.readString(output, StandardCharsets.UTF_8);
            assertEquals(0, process.exitValue(), () -> String.join(" ", command) + ":\n" + text);
            return text;
        } finally {
            Files.delete(output);
            Files.delete(given);
        }
    }
}
