package io.fairlead.benchmarks.contest;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
        return field.titles().containsAll(List.of(aim.subject(), aim.other()));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 32, 64, 72, 4096})
    void shouldKnowAnyOtherMessage(int size) {
        byte[] message = Payload.bytes(size, 7);
        Payload.check(message, size, 7);
        assertThrows(IllegalStateException.class, () -> Payload.check(message, size, 8));
        message[size - 1] ^= 1;
        assertThrows(IllegalStateException.class, () -> Payload.check(message, size, 7));
        assertThrows(IllegalStateException.class, () -> Payload.length(size, size - 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 64})
    void shouldFindEveryByteOfARequestAndOfItsReplyThatChanged(int size) {
        Payload.checkReply(Payload.reply(Payload.message(size, 7)), size, 7);
        for (int i = 0; i < size; i++) {
            assertRefused(Payload.reply(flipped(Payload.message(size, 7), i)), size);
            assertRefused(flipped(Payload.reply(Payload.message(size, 7)), i), size);
        }
        assertRefused(Payload.message(size, 7), size);
        assertRefused(Payload.reply(Payload.message(size + 8, 7)), size);
    }

    private static MemorySegment flipped(MemorySegment message, int at) {
        message.set(ValueLayout.JAVA_BYTE, at, (byte) (message.get(ValueLayout.JAVA_BYTE, at) ^ 1));
        return message;
    }

    private static void assertRefused(MemorySegment reply, int size) {
        assertThrows(IllegalStateException.class, () -> Payload.checkReply(reply, size, 7));
    }
}
