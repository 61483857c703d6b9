package io.fairlead.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.MDC;

@Timeout(60)
final class LogScopeTest {
    @AfterEach
    void clear() {
        MDC.clear();
    }

    @Test
    void shouldSetTheKeysUntilItIsClosed() {
        try (LogScope _ = LogScope.of("here", "#1 to there", "tcp")) {
            assertEquals(
                    Map.of("node", "here", "endpoint", "#1 to there", "transport", "tcp"), MDC.getCopyOfContextMap());
        }
        assertEquals(Map.of(), MDC.getCopyOfContextMap());
    }

    @Test
    void shouldGiveTheApplicationItsOwnValuesBack() {
        MDC.put("node", "the application's");
        MDC.put("request", "7");
        try (LogScope _ = LogScope.of("here", "", "")) {
            assertEquals("here", MDC.get("node"));
            assertEquals("7", MDC.get("request"));
            assertNull(MDC.get("endpoint"));
        }
        assertEquals(Map.of("node", "the application's", "request", "7"), MDC.getCopyOfContextMap());
    }

    @Test
    void shouldHideWhatDoesNotConcernTheLine() {
        MDC.put("transport", "of an outer line");
        try (LogScope _ = LogScope.of("here", "#1", "")) {
            assertNull(MDC.get("transport"));
        }
        assertEquals("of an outer line", MDC.get("transport"));
    }
}
