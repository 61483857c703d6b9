package io.fairlead.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloseStepsTest {
    private final List<Integer> done = new ArrayList<>();

    @Test
    void shouldRunEveryStepThoughSomeThrow() {
        RuntimeException first = new IllegalStateException("first");
        Error second = new AssertionError("second");
        Throwable thrown = assertThrows(
                IllegalStateException.class,
                () -> CloseSteps.runAll(
                        () -> done.add(1), () -> fail(2, first), () -> fail(3, second), () -> done.add(4)));
        assertSame(first, thrown);
        assertEquals(List.of(second), List.of(thrown.getSuppressed()));
        assertEquals(List.of(1, 2, 3, 4), done);
    }

    @Test
    void shouldCloseEveryPartThoughOneThrows() {
        Error thrown = assertThrows(
                AssertionError.class,
                () -> CloseSteps.runEach(List.of(1, 2, 3), part -> {
                    if (part == 2) {
                        fail(part, new AssertionError("a part"));
                    }
                    done.add(part);
                }));
        assertEquals("a part", thrown.getMessage());
        assertEquals(List.of(1, 2, 3), done);
    }

    @Test
    void shouldThrowNothingThatNoStepHasThrown() {
        CloseSteps.runAll();
        CloseSteps.runAll(() -> done.add(1));
        CloseSteps.runEach(List.of(2), done::add);
        assertEquals(List.of(1, 2), done);
    }

    @Test
    void shouldThrowOnceWhatTwoStepsHaveThrown() {
        RuntimeException same = new IllegalStateException("same");
        assertSame(
                same,
                assertThrows(
                        IllegalStateException.class,
                        () -> CloseSteps.runAll(() -> fail(1, same), () -> fail(2, same))));
        assertEquals(0, same.getSuppressed().length);
    }

    private void fail(int step, Throwable thrown) {
        done.add(step);
        if (thrown instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) thrown;
    }
}
