package io.fairlead.system.trust;

import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A program that others wrote, from {@code PATH} or from where {@code ./fairlead test} unpacks it. */
record OutsideTool(Path program) {
    private static final Path UNPACKED = RepositoryRoot.path().resolve("target/tools");
    private static final long DEADLINE_S = 240;

    /**
     * How a run of it ended.
     *
     * @param status its exit status
     * @param text all that it said
     */
    record Run(int status, String text) {}

    /** Finds it, or skips the test that asks. */
    static OutsideTool find(String name) {
        Stream<Path> installed = Pattern.compile(":")
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of);
        Path unpacked = UNPACKED.resolve(name).resolve("usr/bin");
        return Stream.concat(installed, Stream.of(unpacked))
                .map(folder -> folder.resolve(name))
                .filter(Files::isExecutable)
                .findFirst()
                .map(OutsideTool::new)
                .orElseGet(() ->
                        abort("no " + name + " in PATH or " + unpacked + "; ./fairlead test fetches it on Debian"));
    }

    /** Starts it, with both its outputs in a file and nothing to read. */
    Process start(Path output, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        if (program.startsWith(UNPACKED)) {
            Path usr = program.resolve("../..").normalize();
            Map<String, String> environment = builder.environment();
            environment.merge("PATH", usr.resolve("bin").toString(), (path, own) -> path + ":" + own);
            environment.put("LD_LIBRARY_PATH", libraries(usr));
            environment.put(
                    "TESTSSL_INSTALL_DIR",
                    usr.resolve("../etc/testssl").normalize().toString());
        }
        return builder.start();
    }

    private static String libraries(Path usr) throws IOException {
        Path parent = usr.resolve("lib");
        if (!Files.isDirectory(parent)) {
            return "";
        }
        try (Stream<Path> folders = Files.list(parent)) {
            return String.join(":", folders.map(Path::toString).toList());
        }
    }

    /** Runs it to its end on a thread of its own. */
    CompletableFuture<Run> run(Path output, String... arguments) {
        return ForeignTls.elsewhere(() -> {
            Process process = start(output, List.of(arguments));
            try {
                if (!process.waitFor(DEADLINE_S, TimeUnit.SECONDS)) {
                    throw new AssertionError(program + " did not end: " + Files.readString(output));
                }
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
            return new Run(process.exitValue(), Files.readString(output, StandardCharsets.ISO_8859_1));
        });
    }
}
