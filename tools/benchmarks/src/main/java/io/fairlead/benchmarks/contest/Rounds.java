package io.fairlead.benchmarks.contest;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Entrants take turns: in every round each does the same work once. */
public final class Rounds {
    private static final int FIRST_COUNT = 200;
    /** The first turn has no more bytes than these, or one message. */
    private static final int FIRST_BYTES = 64 << 20;

    private static final int COUNT_MAX = 20_000_000;
    private static final int GROWTH = 4;
    /** A turn that is not this much better than the best one before is no better. */
    private static final double GAIN = 1.05;

    private static final int NO_BETTER = 4;

    /**
     * How much is measured.
     *
     * @param rounds turns of each entrant
     * @param turnNs about how long a turn is to take
     * @param warmUpTurns at most so many turns of that time before, or until they get no better
     */
    public record Plan(int rounds, long turnNs, int warmUpTurns) {}

    private final Plan plan;
    private final Consumer<String> progress;

    /**
     * Prepares.
     *
     * @param plan how much
     * @param progress takes a line for each step, and who was left out
     */
    public Rounds(Plan plan, Consumer<String> progress) {
        this.plan = plan;
        this.progress = progress;
    }

    /**
     * Measures work by all entrants; who fails is said, closed, and taken off the list.
     *
     * @return the turns of each that has come to the end, in the order of the list
     */
    public Map<String, List<Turn>> run(String label, Work work, List<Entrant> entrants) {
        Map<Entrant, Integer> counts = new LinkedHashMap<>();
        each(entrants, entrant -> {
            progress.accept(label + ": warming up " + entrant.title());
            counts.put(entrant, warmUp(entrant, work));
        });
        Map<Entrant, List<Turn>> turns = new LinkedHashMap<>();
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept(label + ": round " + (round + 1) + " of " + plan.rounds());
            each(
                    entrants,
                    entrant -> turns.computeIfAbsent(entrant, _ -> new ArrayList<>())
                            .add(entrant.turn(work.withCount(counts.getOrDefault(entrant, FIRST_COUNT)))));
        }
        Map<String, List<Turn>> results = new LinkedHashMap<>();
        entrants.forEach(entrant -> results.put(entrant.title(), turns.getOrDefault(entrant, List.of())));
        return results;
    }

    private interface Step {
        void of(Entrant entrant) throws IOException;
    }

    private void each(List<Entrant> entrants, Step step) {
        for (Iterator<Entrant> left = entrants.iterator(); left.hasNext(); ) {
            Entrant entrant = left.next();
            try {
                step.of(entrant);
            } catch (IOException failure) {
                progress.accept("left out: " + entrant.title() + ": " + failure.getMessage());
                entrant.close();
                left.remove();
            }
        }
    }

    /** Until turns take their time, and then until they get no better; the messages of a turn. */
    private int warmUp(Entrant entrant, Work work) throws IOException {
        if (work.intervalNs() > 0) {
            // At full speed: at its own it would be warm after minutes.
            int _ = warmUp(entrant, work.withoutInterval());
            int count = (int) Math.max(1, plan.turnNs() / work.intervalNs());
            entrant.turn(work.withCount(count));
            return count;
        }
        int count = Math.clamp(FIRST_BYTES / Math.max(1, work.size()), 1, FIRST_COUNT);
        double best = entrant.turn(work.withCount(count)).perSecond();
        int same = 0;
        for (int turn = 0; turn < plan.warmUpTurns() && same < NO_BETTER; ) {
            entrant.rest();
            int wanted = (int) Math.clamp(best * plan.turnNs() / 1e9, 1, COUNT_MAX);
            boolean full = wanted <= count * GROWTH;
            count = full ? wanted : count * GROWTH;
            double rate = entrant.turn(work.withCount(count)).perSecond();
            turn += full ? 1 : 0;
            same = full && rate < best * GAIN ? same + 1 : 0;
            best = Math.max(best, rate);
        }
        return (int) Math.clamp(best * plan.turnNs() / 1e9, 1, COUNT_MAX);
    }
}
