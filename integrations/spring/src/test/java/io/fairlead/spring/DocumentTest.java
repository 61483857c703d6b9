package io.fairlead.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What docs/spring.md shows is compiled and run. */
@Timeout(60)
final class DocumentTest {
    private static final Path BASE = Path.of(System.getProperty("basedir", "."));

    private static List<String> blocks(String language) throws IOException {
        String document = Files.readString(RepositoryRoot.path().resolve("docs/spring.md"));
        return Pattern.compile("(?ms)^```" + language + "\\R(.*?)^```$")
                .matcher(document)
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    @Test
    void shouldShowTheSample() throws IOException {
        Path samples = BASE.resolve("src/test/java/io/fairlead/spring/samples");
        String sample = Files.readString(samples.resolve("PriceBoard.java"))
                + Files.readString(samples.resolveSibling("orders/OrderDesk.java"));
        List<String> shown = blocks("java");
        assertEquals(4, shown.size());
        for (String block : shown) {
            assertTrue(sample.contains(block), block);
        }
        assertEquals(List.of(Files.readString(BASE.resolve("src/test/resources/application.yml"))), blocks("yaml"));
    }

    @Test
    void shouldListThePropertiesOfTheStarter() throws IOException {
        String document = Files.readString(RepositoryRoot.path().resolve("docs/spring.md"));
        new SpringKeys().configKeys().forEach(key -> {
            String row = "| `" + key.name().substring("spring.".length()) + "` |";
            assertTrue(document.contains(row), row);
        });
    }
}
