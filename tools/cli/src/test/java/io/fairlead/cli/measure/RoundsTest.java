package io.fairlead.cli.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What rounds do with their contestants, without any process. */
@Timeout(30)
final class RoundsTest {
    private static final Work WORK = Work.numbered(PerfTest.TAG_BW, 8);

    /** Has a rate, and fails when it has had so many turns. */
    private static final class Scripted implements Contestant {
        private final String title;
        private final double rate;
        private final int turnsMax;
        private final List<Work> turns = new ArrayList<>();
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
            rests.add(turns.size());
        }

        @Override
        public Turn turn(Work work) throws IOException {
            if (turns.size() == turnsMax) {
                throw new IOException(title + ": its process is gone");
            }
            turns.add(work);
            return Turn.of(rate, 0);
        }

        List<Integer> lastCounts(int rounds) {
            return turns.subList(turns.size() - rounds, turns.size()).stream()
                    .map(Work::count)
                    .toList();
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private final List<String> progress = new ArrayList<>();

    private Map<String, List<Turn>> run(Rounds.Plan plan, Work work, List<Contestant> contestants) {
        return new Rounds(plan, progress::add).run("case", work, contestants);
    }

    @Test
    void shouldGiveEachContestantTurnsOfTheSameTime() {
        Scripted slow = new Scripted("slow", 1000, Integer.MAX_VALUE);
        Scripted fast = new Scripted("fast", 50_000, Integer.MAX_VALUE);
        Map<String, List<Turn>> results =
                run(new Rounds.Plan(3, 1_000_000_000, 10), WORK, new ArrayList<>(List.of(slow, fast)));
        assertEquals(List.of("slow", "fast"), List.copyOf(results.keySet()));
        assertEquals(3, results.get("fast").size());
        assertEquals(
                IntStream.range(1, slow.turns.size() - 3).boxed().toList(),
                slow.rests,
                "before each turn of a warm-up but the first");
        assertEquals(List.of(1000, 1000, 1000), slow.lastCounts(3));
        assertEquals(List.of(50_000, 50_000, 50_000), fast.lastCounts(3));
    }

    @Test
    void shouldLeaveOutOneThatFailsAndSayWhy() {
        Scripted good = new Scripted("good", 1000, Integer.MAX_VALUE);
        Scripted bad = new Scripted("bad", 1000, 12);
        List<Contestant> contestants = new ArrayList<>(List.of(bad, good));
        Map<String, List<Turn>> results = run(new Rounds.Plan(20, 1_000_000_000, 2), WORK, contestants);
        assertEquals(List.of("good"), List.copyOf(results.keySet()));
        assertEquals(List.of(good), contestants);
        assertTrue(bad.closed);
        assertFalse(good.closed);
        assertTrue(progress.contains("left out: bad: bad: its process is gone"), progress::toString);
    }

    @Test
    void shouldTimeShortOperationsInBatchesOfTheFirstContestant() {
        Work asking = Work.of(PerfTest.TAG_LAT, 8, 1);
        Scripted first = new Scripted("first", 2_000_000, Integer.MAX_VALUE);
        Scripted second = new Scripted("second", 1000, Integer.MAX_VALUE);
        Map<String, List<Turn>> _ =
                run(new Rounds.Plan(1, 1_000_000, 2, 0, 0, true), asking, new ArrayList<>(List.of(first, second)));
        assertEquals(8, first.turns.getLast().batch(), "eight times half a microsecond");
        assertEquals(0, first.turns.getLast().count() % 8);
        assertEquals(8, second.turns.getLast().batch());
    }

    @Test
    void shouldTakeTheCountsOfTheUser() {
        Scripted one = new Scripted("one", 1000, Integer.MAX_VALUE);
        Map<String, List<Turn>> _ =
                run(new Rounds.Plan(2, 1_000_000_000, 10, 40, 7, true), WORK, new ArrayList<>(List.of(one)));
        assertEquals(List.of(7, 40, 40), one.turns.stream().map(Work::count).toList());
    }

    @Test
    void shouldKeepWorkInText() {
        Work work = Work.numbered(PerfTest.TAG_LAT, 64).withCount(1000).withInterval(200_000);
        assertEquals(work, Work.parse(work.text()));
        assertEquals(5, work.withCount(5).count());
    }
}
