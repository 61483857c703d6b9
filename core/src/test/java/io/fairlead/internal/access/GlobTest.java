package io.fairlead.internal.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource({
        "a/b, a/b, true",
        "a/b, a/bc, false",
        "a/*, a/b, true",
        "a/*, a/, true",
        "a/*, a/b/c, false",
        "a/**, a/b/c, true",
        "*, abc, true",
        "*, a/b, false",
        "**, a/b, true",
        "a*c/d, abbc/d, true",
        "a*c/d, ab/c/d, false",
        "**/d, a/b/d, true",
        "a.c, abc, false",
        "a?c, abc, false",
    })
    void shouldStopAStarAtASeparator(String pattern, String text, boolean expected) {
        assertEquals(expected, new Glob(pattern, "/").matches(text));
    }

    @Test
    void shouldTakeStarsForNothingToo() {
        assertTrue(new Glob("*", "/").matches(""));
        assertTrue(new Glob("**", "/").matches(""));
        assertTrue(new Glob("", "/").matches(""));
        assertFalse(new Glob("", "/").matches("a"));
    }

    @Test
    void shouldEndOnTextsThatKeepABacktrackingMatcherBusyForEver() {
        assertFalse(new Glob("*a".repeat(500) + "b", "/").matches("a".repeat(1024)));
    }

    @Test
    void shouldRejectThreeStarsAndPatternsThatAreTooLong() {
        assertThrows(IllegalArgumentException.class, () -> new Glob("a***", "/"));
        assertTrue(new Glob("a".repeat(1024), "/").matches("a".repeat(1024)));
        assertThrows(IllegalArgumentException.class, () -> new Glob("a".repeat(1025), "/"));
    }
}
