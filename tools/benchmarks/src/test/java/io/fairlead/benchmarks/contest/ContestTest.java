package io.fairlead.benchmarks.contest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fairlead.benchmarks.contest.Work.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a contest does with its entrants, without any process. */
final class ContestTest {
    private static final Work WORK = new Work(Kind.STREAM, 8, 1, 0);

    /** Has a rate, and fails when it has had so many turns. */
    private static final class Scripted implements Entrant {
        private final String title;
        private final double rate;
        private final int turnsMax;
        private final List<Integer> counts = new ArrayList<>();
        /** After how many turns it was let rest. */
        private final List<Integer> rests = new ArrayList<>();

        private boolean closed;

        Scripted(String title, double rate, int turnsMax) {
            this.title = title;
            this.rate = rate;
            this.turnsMax = turnsMax;
        }

        @Override
        public String title() {
            return title;
        }

        @Override
        public void rest() {
            rests.add(counts.size());
        }

        @Override
        public Turn turn(Work work) throws IOException {
            if (counts.size() == turnsMax) {
                throw new IOException(title + ": its process is gone");
            }
            counts.add(work.count());
            return new Turn(rate, 0, 0, 0, 0);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final List<String> progress = new ArrayList<>();

    @Test
    void shouldHaveWhatEachGoalCompares() {
        for (Suite suite : Suite.ofGoals()) {
            for (Suite.Aim aim : suite.aims()) {
                Suite.Case one =
                        suite.cases().stream().filter(aim::isOf).findFirst().orElseThrow();
                assertTrue(suite.fields().stream().anyMatch(field -> hasBoth(field, aim)), () -> suite.title() + aim);
                assertTrue(suite.has(one, aim.subject()) && suite.has(one, aim.rival()));
            }
            for (Suite.Case one : suite.cases()) {
                assertTrue(suite.aims().stream().anyMatch(aim -> aim.isOf(one)), one::label);
                assertFalse(suite.has(one, "nats"));
            }
        }
    }

    private static boolean hasBoth(Suite.Field field, Suite.Aim aim) {
        List<String> titles = new ArrayList<>(
                field.contestants().stream().map(Contestant::title).toList());
        if (field.besideC()) {
            titles.add(Reference.TITLE);
        }
        return titles.containsAll(List.of(aim.subject(), aim.rival()));
    }

    private final Rounds rounds = new Rounds(new Rounds.Plan(3, 1_000_000_000, 10), progress::add);

    @Test
    void shouldGiveEachEntrantTurnsOfTheSameTime() {
        Scripted slow = new Scripted("slow", 1000, Integer.MAX_VALUE);
        Scripted fast = new Scripted("fast", 50_000, Integer.MAX_VALUE);
        Map<String, List<Turn>> results = rounds.run("case", WORK, new ArrayList<>(List.of(slow, fast)));
        assertEquals(List.of("slow", "fast"), List.copyOf(results.keySet()));
        assertEquals(3, results.get("fast").size());
        int warmUp = slow.counts.size() - 3;
        assertEquals(
                IntStream.range(1, warmUp).boxed().toList(), slow.rests, "before each turn of a warm-up but the first");
        assertEquals(List.of(1000, 1000, 1000), slow.counts.subList(slow.counts.size() - 3, slow.counts.size()));
        assertEquals(List.of(50_000, 50_000, 50_000), fast.counts.subList(fast.counts.size() - 3, fast.counts.size()));
    }

    @Test
    void shouldLeaveOutWhoFailsAndSayWhy() {
        Scripted good = new Scripted("good", 1000, Integer.MAX_VALUE);
        Scripted bad = new Scripted("bad", 1000, 12);
        List<Entrant> entrants = new ArrayList<>(List.of(bad, good));
        Map<String, List<Turn>> results =
                new Rounds(new Rounds.Plan(20, 1_000_000_000, 2), progress::add).run("case", WORK, entrants);
        assertEquals(List.of("good"), List.copyOf(results.keySet()));
        assertEquals(List.of(good), entrants);
        assertTrue(bad.closed);
        assertFalse(good.closed);
        assertTrue(progress.contains("left out: bad: bad: its process is gone"), progress::toString);
    }

    @Test
    void shouldKeepWorkInText() {
        Work work = new Work(Kind.ASK, 64, 1000, 200_000);
        assertEquals(work, Work.parse(work.text()));
        assertEquals(5, work.withCount(5).count());
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
