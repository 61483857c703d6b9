package io.fairlead.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.testkit.internal.RepositoryRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What pages quote is what the code says: messages, keys and their defaults, types. */
@Timeout(120)
final class PagesTest {
    /** The first column of a table, which quotes a message. */
    private static final Pattern QUOTED = Pattern.compile("(?m)^\\| (`[^|]+`) \\|");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern DEFAULT = Pattern.compile("(?m)^\\| `([a-z.-]+)` \\| ([^|]+) \\|");
    /** A type, or one with a method. */
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]+[A-Za-z]*)(?:\\.(\\w+))?`");

    private static final List<String> PAGES =
            List.of("symptoms", "sizing", "upgrades", "coming-from", "testing", "kubernetes");

    /** Names of the JDK, of others, and of tests. */
    private static final Set<String> ELSEWHERE =
            Set.of("Flow", "StatusRuntimeException", "Agent", "MembersTest", "MaxRAMPercentage");

    private static String page(String name) throws IOException {
        return Files.readString(Repository.root().resolve("docs/" + name + ".md"));
    }

    /** The sources of all modules, with texts that are put together from parts in one. */
    private static String sources() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path file : RepositoryRoot.files(".java")) {
            if (file.toString().contains("/src/main/java/")) {
                all.append(Files.readString(file)).append('\n');
            }
        }
        return all.toString().replaceAll("\"\\s*\\+\\s*\"", "");
    }

    @Test
    void shouldQuoteMessagesThatThereAre() throws IOException {
        String sources = sources();
        List<String> wrong = new ArrayList<>();
        int quoted = 0;
        for (String row : QUOTED.matcher(page("symptoms"))
                .results()
                .map(found -> found.group(1))
                .toList()) {
            for (MatchResult code : CODE.matcher(row).results().toList()) {
                quoted++;
                for (String part : code.group(1).split("…")) {
                    if (!sources.contains(part)) {
                        wrong.add(part);
                    }
                }
            }
        }
        assertEquals(List.of(), wrong);
        assertTrue(quoted > 15, "messages=" + quoted);
    }

    @Test
    void shouldHaveTheDefaultsOfTheKeys() throws IOException {
        List<String> reference = Files.readAllLines(Repository.root().resolve("config/fairlead.conf"));
        List<MatchResult> rows = DEFAULT.matcher(page("sizing")).results().toList();
        assertTrue(rows.size() > 8, "rows=" + rows.size());
        for (MatchResult row : rows) {
            String line = "# " + row.group(1) + " = " + row.group(2);
            assertTrue(reference.contains(line), line);
        }
    }

    @Test
    void shouldNameTypesAndMethodsThatThereAre() throws IOException {
        String sources = sources();
        Set<String> types = Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w+)")
                .matcher(sources)
                .results()
                .map(declared -> declared.group(1))
                .collect(Collectors.toSet());
        types.addAll(ELSEWHERE);
        List<String> wrong = new ArrayList<>();
        for (String page : PAGES) {
            for (MatchResult type : TYPE.matcher(page(page)).results().toList()) {
                String name = type.group(1);
                boolean known = types.contains(name);
                boolean member = type.group(2) == null || sources.contains(type.group(2));
                if (!known || !member) {
                    wrong.add(page + ": " + type.group());
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldLinkToPagesThatThereAre() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (String page : PAGES) {
            for (MatchResult link : Pattern.compile("\\]\\(([^)#]+)?(?:#([^)]+))?\\)")
                    .matcher(page(page))
                    .results()
                    .toList()) {
                Path target = link.group(1) == null
                        ? Repository.root().resolve("docs/" + page + ".md")
                        : Repository.root()
                                .resolve("docs")
                                .resolve(link.group(1))
                                .normalize();
                if (!Files.exists(target)
                        || (link.group(2) != null
                                && Files.readAllLines(target).stream()
                                        .filter(line -> line.startsWith("#"))
                                        .noneMatch(line -> anchor(line).equals(link.group(2))))) {
                    wrong.add(page + ": " + link.group());
                }
            }
        }
        assertEquals(List.of(), wrong);
    }

    /** As the forges make anchors of headings. */
    private static String anchor(String heading) {
        return heading.replaceFirst("#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w -]", "")
                .replace(' ', '-');
    }
}
