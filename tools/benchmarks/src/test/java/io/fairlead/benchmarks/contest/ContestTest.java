package io.fairlead.benchmarks.contest;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.cli.measure.Perftest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What suites compare, and that payloads tell messages apart. */
final class ContestTest {
    @Test
    void shouldHaveWhatEachGoalCompares() {
        for (Suite suite : Suite.ofGoals()) {
            for (Suite.Aim aim : suite.aims()) {
                Suite.Case one =
                        suite.cases().stream().filter(aim::isOf).findFirst().orElseThrow();
                assertTrue(suite.fields().stream().anyMatch(field -> hasBoth(field, aim)), () -> suite.title() + aim);
                assertTrue(suite.has(one, aim.subject()) && suite.has(one, aim.other()));
            }
            for (Suite.Case one : suite.cases()) {
                assertTrue(suite.aims().stream().anyMatch(aim -> aim.isOf(one)), one::label);
                assertFalse(suite.has(one, "nats"));
            }
        }
    }

    private static boolean hasBoth(Suite.Field field, Suite.Aim aim) {
        List<String> titles = new ArrayList<>(
                field.contestants().stream().map(Contestants::title).toList());
        if (field.besideC()) {
            titles.add(Perftest.TITLE);
        }
        return titles.containsAll(List.of(aim.subject(), aim.other()));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 32, 64, 72, 4096})
    void shouldKnowAnyOtherMessage(int size) {
        ByteBuffer message = ByteBuffer.allocate(size).order(ByteOrder.nativeOrder());
        Payload.write(message, 0, size, 7);
        Payload.check(message, 0, size, 7);
        assertThrows(IllegalStateException.class, () -> Payload.check(message, 0, size, 8));
        message.putLong(size - Payload.WORD, 0);
        assertThrows(IllegalStateException.class, () -> Payload.check(message, 0, size, 7));
        assertThrows(IllegalStateException.class, () -> Payload.length(size, size - 1));
    }
}
