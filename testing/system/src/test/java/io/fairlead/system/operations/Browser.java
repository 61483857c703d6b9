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

/** Chromium without a window, from {@code PATH} or from where {@code ./fairlead test} unpacks it with its libraries. */
record Browser(Path program, Path folder) {
    private static final Path UNPACKED = RepositoryRoot.path().resolve("target/tools/chromium");
    private static final List<String> NAMES = List.of("chromium-headless-shell", "chromium", "google-chrome");
    private static final long DEADLINE_S = 120;

    /** Finds it, or skips the test that asks. */
    static Browser find(Path folder) {
        Stream<Path> installed = Pattern.compile(":")
                .splitAsStream(System.getenv().getOrDefault("PATH", ""))
                .filter(part -> !part.isEmpty())
                .flatMap(part -> NAMES.stream().map(name -> Path.of(part).resolve(name)));
        return Stream.concat(installed, Stream.of(UNPACKED.resolve("usr/lib/chromium/chromium-headless-shell")))
                .filter(Files::isExecutable)
                .findFirst()
                .map(program -> new Browser(program, folder))
                .orElseGet(
                        () -> abort("no chromium in PATH or " + UNPACKED + "; ./fairlead test fetches it on Debian"));
    }

    /** Opens a page, lets it work for some seconds of its own time, and returns what has become of it. */
    String open(String url) throws IOException, InterruptedException {
        return run("--dump-dom", "--virtual-time-budget=3000", url);
    }

    /** What the page looks like then, as PNG. */
    Path screenshot(String url, int width, int height) throws IOException, InterruptedException {
        Path image = folder.resolve("screenshot.png");
        run("--screenshot=" + image, "--window-size=" + width + "," + height, "--virtual-time-budget=3000", url);
        return image;
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                program.toString(),
                "--headless",
                // Its sandbox is for pages of strangers, and no user but root runs it in a container.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--user-data-dir=" + folder.resolve("profile")));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        Path errors = folder.resolve("errors");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile());
        if (program.startsWith(UNPACKED)) {
            builder.environment().put("LD_LIBRARY_PATH", libraries());
        }
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), () -> command + " did not end");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        String said = Files.readString(errors, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), () -> String.join(" ", command) + ":\n" + said);
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** Where the packages have their libraries, some of which are still in the folder of old. */
    private static String libraries() throws IOException {
        List<String> folders = new ArrayList<>();
        for (Path parent : List.of(UNPACKED.resolve("usr/lib"), UNPACKED.resolve("lib"))) {
            if (Files.isDirectory(parent)) {
                try (Stream<Path> children = Files.list(parent)) {
                    children.filter(Files::isDirectory)
                            .flatMap(child -> Stream.of(child, child.resolve("pulseaudio")))
                            .forEach(child -> folders.add(child.toString()));
                }
            }
        }
        return String.join(":", folders);
    }
}
