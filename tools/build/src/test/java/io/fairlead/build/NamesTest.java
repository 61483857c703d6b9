package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the documents name is there. */
@Timeout(120)
final class NamesTest {
    /** A class of Fairlead's and a member of it, as {@code Worker.progress()}. */
    private static final Pattern MEMBER = Pattern.compile("`([A-Z]\\w+)\\.([a-z]\\w+)(?:\\([^`]*\\))?`");
    /** A link to a file of the tree. */
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|mailto:)([^)#\\s]*)(#[^)\\s]*)?\\)");

    @Test
    void shouldNameMembersThatThereAre() throws IOException {
        Map<String, List<Path>> sources = sources();
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (Path document : documents()) {
            for (MatchResult name : matches(MEMBER, document)) {
                List<Path> files = sources.getOrDefault(name.group(1), List.of());
                named += files.isEmpty() ? 0 : 1;
                if (!files.isEmpty() && !isIn(files, name.group(2))) {
                    missing.add(document.getFileName() + ": " + name.group());
                }
            }
        }
        assertTrue(named > 50, "names=" + named);
        assertEquals(List.of(), missing);
    }

    @Test
    void shouldLinkToFilesAndHeadingsThatThereAre() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path document : documents()) {
            for (MatchResult link : matches(LINK, document)) {
                Path target = link.group(1).isEmpty()
                        ? document
                        : document.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target)
                        || (link.group(2) != null && !headings(target).contains(link.group(2)))) {
                    missing.add(document.getFileName() + ": " + link.group());
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    private static boolean isIn(List<Path> files, String member) throws IOException {
        Pattern word = Pattern.compile("\\b" + member + "\\b");
        for (Path file : files) {
            if (word.matcher(Files.readString(file)).find()) {
                return true;
            }
        }
        return false;
    }

    private static List<MatchResult> matches(Pattern pattern, Path document) throws IOException {
        return pattern.matcher(Files.readString(document)).results().toList();
    }

    /** As a forge makes anchors of headings. */
    private static List<String> headings(Path document) throws IOException {
        if (!document.toString().endsWith(".md")) {
            return List.of();
        }
        return Files.readAllLines(document).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> "#"
                        + line.replaceFirst("^#+ *", "")
                                .toLowerCase(java.util.Locale.ROOT)
                                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                                .replace(' ', '-'))
                .toList();
    }

    private static List<Path> documents() throws IOException {
        return RepositoryRoot.files(".md").stream()
                .filter(file -> !file.endsWith("CHANGELOG.md"))
                .toList();
    }

    private static Map<String, List<Path>> sources() throws IOException {
        return RepositoryRoot.files(".java").stream()
                .collect(Collectors.groupingBy(
                        file -> file.getFileName().toString().replaceFirst("\\.java$", "")));
    }
}
