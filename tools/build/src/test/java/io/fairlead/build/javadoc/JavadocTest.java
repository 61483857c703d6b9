package io.fairlead.build.javadoc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.build.Repository;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The pages of several modules link to each other. */
@Timeout(240)
final class JavadocTest {
    private static final Pattern LINK = Pattern.compile("href=\"(\\.\\./[^\"#]+\\.html)");

    @TempDir
    private Path folder;

    @Test
    void shouldFindThePublishedModules() throws IOException {
        Map<String, Path> published = Javadoc.published(Repository.root());
        assertTrue(published.containsKey("io.fairlead.servicetest.junit"), published::toString);
        assertTrue(published.size() > 18, published::toString);
        assertTrue(published.keySet().stream().noneMatch(name -> name.contains("benchmarks")), published::toString);
    }

    @Test
    void shouldLinkModules() throws IOException {
        Map<String, Path> modules = new TreeMap<>(Javadoc.published(Repository.root()));
        modules.keySet().retainAll(List.of("io.fairlead", "io.fairlead.node", "io.fairlead.services"));
        List<Path> libraries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(Path::of)
                .filter(entry -> entry.getFileName()
                        .toString()
                        .matches("(slf4j-api|jspecify|jctools-core|config|error_prone_annotations)-[0-9].*\\.jar"))
                .toList();
        Javadoc.write(Repository.root(), folder, modules, libraries);

        Path page = folder.resolve("io.fairlead.services/io/fairlead/services/TypedServices.html");
        String text = Files.readString(page);
        assertTrue(text.contains("href=\"../../../../io.fairlead.node/io/fairlead/node/Node.html\""), page::toString);
        List<String> broken = new ArrayList<>();
        for (MatchResult link : LINK.matcher(text).results().toList()) {
            if (!Files.exists(page.getParent().resolve(link.group(1)).normalize())) {
                broken.add(link.group(1));
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(Files.exists(folder.resolve("index.html")));
    }
}
