package io.fairlead.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.helpers.MessageFormatter;

final class CallbacksTest {
    /** Times wrap around. */
    private static final long START_NS = Long.MAX_VALUE - 1;

    private final List<Line> lines = new ArrayList<>();
    private final Logger log = (Logger) Proxy.newProxyInstance(
            Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (_, method, arguments) -> {
                if (method.getName().equals("getName")) {
                    return "test";
                }
                assertEquals("error", method.getName());
                Object[] values =
                        arguments[1] instanceof Object[] all ? all : Arrays.copyOfRange(arguments, 1, arguments.length);
                @Nullable Throwable thrown = values[values.length - 1] instanceof Throwable last ? last : null;
                lines.add(new Line(
                        MessageFormatter.arrayFormat((String) arguments[0], values)
                                .getMessage(),
                        thrown));
                return null;
            });

    private record Line(String text, @Nullable Throwable thrown) {}

    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw this;
        }
    }

    @Test
    void shouldLogTheFirstInFullAndThenOneLinePerPeriodWithTheNumber() {
        List<RuntimeException> thrown = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            thrown.add(new IllegalStateException("disk is full " + i));
            Callbacks.logThrown(START_NS + i, log, thrown.get(i), "a handler threw; number={}", i);
        }
        assertEquals(1, lines.size());
        assertEquals("a handler threw; number=0", lines.getFirst().text());
        assertSame(thrown.getFirst(), lines.getFirst().thrown());

        long laterNs = START_NS + LineLimit.PERIOD_NS;
        Callbacks.logThrown(laterNs, log, thrown.getLast(), "a handler threw; number={}", 7);
        Callbacks.logThrown(laterNs, log, thrown.getLast(), "a handler threw; number={}", 8);
        assertEquals(2, lines.size());
        assertEquals(
                "a handler threw; number=7; again, after 999 more like it,"
                        + " cause: java.lang.IllegalStateException: disk is full 999",
                lines.getLast().text());
        assertNull(lines.getLast().thrown());
    }

    @Test
    void shouldLogInFullAgainAfterAPeriodWithoutARepetition() {
        for (int i = 0; i < 3; i++) {
            RuntimeException thrown = new IllegalStateException();
            Callbacks.logThrown(START_NS + i * LineLimit.PERIOD_NS, log, thrown, "a rare handler threw");
            assertEquals(i + 1, lines.size());
            assertSame(thrown, lines.getLast().thrown());
        }
    }

    @Test
    void shouldNotLeaveOutAnotherCallOrAnotherException() {
        for (Throwable thrown : Arrays.asList(new IllegalStateException(), new AssertionError())) {
            Callbacks.logThrown(START_NS, log, thrown, "one of two handlers threw");
            Callbacks.logThrown(START_NS, log, thrown, "another of two handlers threw");
        }
        assertEquals(4, lines.size());
        assertTrue(lines.stream().allMatch(line -> line.thrown() != null));
    }

    @Test
    void shouldNameAnExceptionThatCannotBePrinted() {
        for (int i = 0; i < 3; i++) {
            Callbacks.logThrown(START_NS, log, new Unprintable(), "an unprintable handler threw; number={}", i);
        }
        Callbacks.logThrown(
                START_NS + LineLimit.PERIOD_NS, log, new Unprintable(), "an unprintable handler threw; number={}", 3);
        assertEquals(2, lines.size());
        assertEquals(
                "an unprintable handler threw; number=?; it cannot be printed: " + Unprintable.class.getName(),
                lines.getLast().text());
    }
}
