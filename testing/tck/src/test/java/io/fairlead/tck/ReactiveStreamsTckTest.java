package io.fairlead.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
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
