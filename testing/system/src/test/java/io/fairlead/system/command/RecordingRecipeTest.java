package io.fairlead.system.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Does what docs/logs.md says about flight recordings, word by word, to a running command. */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class RecordingRecipeTest {
    @TempDir
    private Path folder;

    @Test
    void shouldRecordARunningProcessByTheDocumentedCommands() throws Exception {
        List<String> recipe = recipe();
        assertEquals(4, recipe.size(), recipe::toString);
        try (CommandRun pub = CommandRun.start("pub", "typed", "-l", "0", "-w", "1", "--stay")) {
            String address = pub.awaitError("topic typed at (\\S+),");
            run(recipe.get(0), pub);
            try (CommandRun sub = CommandRun.start("sub", "typed", "-n", "1", "-C", address)) {
                pub.input().write("one\n".getBytes(StandardCharsets.UTF_8));
                pub.input().close();
                sub.assertStatus(0);
            }
            run(recipe.get(1), pub);
            String events = run(recipe.get(2), pub);
            assertTrue(events.contains("fairlead.EndpointConnected"), events);
            assertTrue(events.contains("fairlead.PathSelected"), events);
            assertTrue(events.contains("reason = \"shared memory is the fastest path that both sides have"), events);
            run(recipe.get(3), pub);
        }
    }

    /** The lines of the document that a reader would type. */
    private static List<String> recipe() throws IOException {
        Path root = RepositoryRoot.path();
        return Files.readString(root.resolve("docs/logs.md"))
                .lines()
                .filter(line -> line.matches("\\$ (jcmd|jfr) .*"))
                .map(line -> line.substring(2).replaceFirst(" +#.*", ""))
                .toList();
    }

    private String run(String line, CommandRun target) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(Arrays.asList(line.split(" +")));
        words.replaceAll(word -> switch (word) {
            case "PID" -> Long.toString(target.handle().pid());
            case "filename=/tmp/fairlead.jfr" -> "filename=" + file();
            case "/tmp/fairlead.jfr" -> file();
            default -> word;
        });
        words.set(
                0,
                Path.of(System.getProperty("java.home"), "bin", words.getFirst())
                        .toString());
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> words + ": " + output);
        return output;
    }

    private String file() {
        return folder.resolve("fairlead.jfr").toString();
    }
}
