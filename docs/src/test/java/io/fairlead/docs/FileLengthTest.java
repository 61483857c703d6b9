package io.fairlead.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files stay short where that was reached once. */
@Timeout(60)
final class FileLengthTest {
    private static final int LINES_MAX = 400;
    private static final List<String> MODULES = List.of("core");

    @Test
    void shouldKeepMainFilesShort() throws IOException {
        for (String module : MODULES) {
            List<Path> sources;
            try (Stream<Path> files =
                    Files.walk(Repository.root().resolve(module).resolve("src/main/java"))) {
                sources =
                        files.filter(file -> file.toString().endsWith(".java")).toList();
            }
            assertTrue(sources.size() > 100, () -> module + " has its files elsewhere: found=" + sources.size());
            List<String> tooLong = new ArrayList<>();
            for (Path source : sources) {
                int lines = Files.readAllLines(source).size();
                if (lines > LINES_MAX) {
                    tooLong.add(Repository.root().relativize(source) + ": " + lines + " lines");
                }
            }
            assertEquals(List.of(), tooLong, () -> "cut each along its seams; limit=" + LINES_MAX + " lines");
        }
    }
}
