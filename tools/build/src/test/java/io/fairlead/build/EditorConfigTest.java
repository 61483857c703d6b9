package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files of the tree are as .editorconfig has editors write them. */
@Timeout(60)
final class EditorConfigTest {
    private static final Set<String> KINDS =
            Set.of("java", "xml", "md", "sh", "yml", "json", "html", "conf", "svg", "properties");

    @Test
    void shouldSayWhatTheFilesAreHeldTo() throws IOException {
        String text = Files.readString(Repository.root().resolve(".editorconfig"));
        for (String setting : List.of(
                "charset = utf-8",
                "end_of_line = lf",
                "insert_final_newline = true",
                "trim_trailing_whitespace = true",
                "indent_style = space",
                "indent_size = 4")) {
            assertTrue(text.substring(0, text.indexOf("[*.java]")).contains(setting), setting);
        }
    }

    @Test
    void shouldHoldForTheFilesOfTheTree() throws IOException {
        List<String> wrong = new ArrayList<>();
        List<Path> files = files();
        for (Path file : files) {
            // Of its bytes, so that what is no UTF-8 is refused.
            String text = Files.readString(file, StandardCharsets.UTF_8);
            if (!text.isEmpty() && !text.endsWith("\n")) {
                wrong.add(file + ": ends without a line feed");
            }
            if (text.contains("\r")) {
                wrong.add(file + ": has carriage returns");
            }
            int number = 0;
            for (String line : text.split("\n", -1)) {
                number++;
                if (line.endsWith(" ") || line.indexOf('\t') >= 0) {
                    wrong.add(file + ":" + number + ": has a tab, or spaces at its end");
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(files.size() > 500, () -> "found only " + files.size());
    }

    private static List<Path> files() throws IOException {
        return RepositoryRoot.files("").stream()
                .filter(file -> {
                    String name = file.getFileName().toString();
                    return name.equals("fairlead") || KINDS.contains(name.substring(name.lastIndexOf('.') + 1));
                })
                .toList();
    }
}
