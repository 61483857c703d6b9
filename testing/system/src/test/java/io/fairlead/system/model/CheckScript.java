package io.fairlead.system.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A script {@code check} of a folder, which has a run by each name that {@code --list} prints.
 *
 * @param folder the script's
 */
record CheckScript(Path folder) {
    private static final int TOOL_MISSING = 77;
    private static final long DEADLINE_S = 280;

    /** How a run ended, and all that it printed. */
    private record Run(int status, String text) {}

    static CheckScript of(String folder) {
        return new CheckScript(RepositoryRoot.path().resolve(folder));
    }

    List<String> names() throws IOException, InterruptedException {
        return run("--list").text().lines().toList();
    }

    /** Runs it, and fails unless the script takes the result for right; skips the test if a tool is missing. */
    void check(String name) throws IOException, InterruptedException {
        Run ended = run(name);
        if (ended.status() == TOOL_MISSING) {
            abort(ended.text());
        }
        assertEquals(0, ended.status(), ended::text);
        assertTrue(ended.text().startsWith(name + ": "), ended::text);
    }

    private Run run(String argument) throws IOException, InterruptedException {
        Path output = Files.createTempFile("check", ".txt");
        Process process = new ProcessBuilder(folder.resolve("check").toString(), argument)
                .redirectInput(new File("/dev/null"))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertTrue(process.waitFor(DEADLINE_S, TimeUnit.SECONDS), "still checking: " + argument);
            return new Run(process.exitValue(), Files.readString(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
