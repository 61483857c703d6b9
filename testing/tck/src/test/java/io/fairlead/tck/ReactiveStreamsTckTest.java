package io.fairlead.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The Reactive Streams TCK over both transports: each of its cases is a case here, and those that it skips are the known ones. */
final class ReactiveStreamsTckTest {
    @TestFactory
    List<DynamicTest> publisherOverShm() {
        return casesOf(TopicPublisherTck.OverShm.class, SkippedCases.OF_PUBLISHERS);
    }

    @TestFactory
    List<DynamicTest> publisherOverTcp() {
        return casesOf(TopicPublisherTck.OverTcp.class, SkippedCases.OF_PUBLISHERS);
    }

    @TestFactory
    List<DynamicTest> subscriberOverShm() {
        return casesOf(TopicSinkTck.OverShm.class, SkippedCases.OF_SUBSCRIBERS);
    }

    @TestFactory
    List<DynamicTest> subscriberOverTcp() {
        return casesOf(TopicSinkTck.OverTcp.class, SkippedCases.OF_SUBSCRIBERS);
    }

    @Test
    void shouldListTheSkippedCasesInTheDocument() throws IOException {
        String document = Files.readString(root().resolve("docs/flow.md"));
        Map<String, String> listed = new TreeMap<>();
        Pattern.compile("(?m)^\\| `(untested_\\w+)` \\| (.*) \\|$")
                .matcher(document)
                .results()
                .forEach(row -> listed.put(row.group(1), row.group(2)));
        Map<String, String> expected = new TreeMap<>(SkippedCases.OF_PUBLISHERS);
        expected.putAll(SkippedCases.OF_SUBSCRIBERS);
        assertEquals(expected, listed);
    }

    /** The root of the repository, whose folder for this module is where Maven runs tests. */
    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        return Files.exists(folder.resolve("docs/flow.md"))
                ? folder
                : folder.getParent().getParent();
    }

    private static List<DynamicTest> casesOf(Class<?> suite, Map<String, String> known) {
        List<TckRun.Case> cases = TckRun.of(suite);
        List<DynamicTest> tests = new ArrayList<>();
        for (TckRun.Case each : cases) {
            tests.add(DynamicTest.dynamicTest(each.name(), () -> tell(each)));
        }
        tests.add(DynamicTest.dynamicTest("shouldSkipTheKnownCasesOnly", () -> {
            TreeSet<String> skipped = new TreeSet<>();
            cases.stream()
                    .filter(each -> each.outcome() == TckRun.Outcome.SKIPPED)
                    .forEach(each -> skipped.add(each.name()));
            assertTrue(cases.size() > 10, () -> "cases=" + cases.size());
            assertEquals(new TreeSet<>(known.keySet()), skipped);
        }));
        return tests;
    }

    private static void tell(TckRun.Case ran) {
        switch (ran.outcome()) {
            case PASSED -> {
                // The suite has said so.
            }
            case SKIPPED -> abort(ran.cause().map(Throwable::getMessage).orElse("no reason"));
            case FAILED ->
                throw new AssertionError("failed: " + ran.name(), ran.cause().orElse(null));
        }
    }
}
