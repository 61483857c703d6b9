package io.fairlead.cli.measure;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Contestants take turns: in every round each does the same work once. */
public class Rounds {
    private static final int FIRST_COUNT = 200;
    /** That of a program which needs no warm-up: enough for its clock. */
    private static final int FIRST_COUNT_COMPILED = 20_000;
    /** The first turn has no more bytes than these, or one message. */
    private static final int FIRST_BYTES = 64 << 20;

    private static final int COUNT_MAX = 20_000_000;
    private static final int GROWTH = 4;
    /** A turn that is not this much faster than the fastest one before is no faster. */
    private static final double GAIN = 1.05;

    private static final int NO_FASTER = 4;
    /** Operations shorter than this are timed in batches, where a plan has batches. */
    private static final double SHORT_US = 1;
    /** How long a batch is at least: a reading of the clock is then about a hundredth of it. */
    private static final double BATCH_US = 4;

    /**
     * How much is measured.
     *
     * @param rounds turns of each contestant that are counted
     * @param turnNs about how long a turn is to take
     * @param warmUpTurns at most so many turns of that time before, or until they get no faster
     * @param count operations of a turn; 0 for as many as turnNs holds
     * @param warmUp operations before the first counted turn; 0 to warm up as above
     * @param batches whether short operations are timed in batches
     */
    public record Plan(int rounds, long turnNs, int warmUpTurns, int count, int warmUp, boolean batches) {
        public Plan(int rounds, long turnNs, int warmUpTurns) {
            this(rounds, turnNs, warmUpTurns, 0, 0, false);
        }

        private int batch(Work work, double perSecond) {
            int batch = 1;
            double us = 1e6 / perSecond;
            while (batches && !work.test().isRate() && us < SHORT_US && batch * us < BATCH_US) {
                batch *= 2;
            }
            return batch;
        }

        private int count(double perSecond) {
            return count > 0 ? count : (int) Math.clamp(perSecond * turnNs / 1e9, 1, COUNT_MAX);
        }
    }

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
     * Measures work by all contestants; one that fails is reported, closed, and taken off the list.
     *
     * @return the turns of each that has come to the end, in the order of the list
     */
    public Map<String, List<Turn>> run(String label, Work work, List<Contestant> contestants) {
        Map<Contestant, Work> works = new LinkedHashMap<>();
        each(contestants, contestant -> {
            progress.accept(label + ": warming up " + contestant.title());
            // All in batches of the first one's.
            int batch = works.isEmpty() ? 0 : works.values().iterator().next().batch();
            works.put(contestant, warmUp(contestant, work, batch));
        });
        Map<Contestant, List<Turn>> turns = new LinkedHashMap<>();
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept(label + ": round " + (round + 1) + " of " + plan.rounds());
            each(
                    contestants,
                    contestant -> turns.computeIfAbsent(contestant, _ -> new ArrayList<>())
                            .add(contestant.turn(works.getOrDefault(contestant, work))));
        }
        Map<String, List<Turn>> results = new LinkedHashMap<>();
        contestants.forEach(one -> results.put(one.title(), turns.getOrDefault(one, List.of())));
        return results;
    }

    private interface Step {
        void of(Contestant contestant) throws IOException;
    }

    private void each(List<Contestant> contestants, Step step) {
        for (Iterator<Contestant> left = contestants.iterator(); left.hasNext(); ) {
            Contestant contestant = left.next();
            try {
                step.of(contestant);
            } catch (IOException failure) {
                leaveOut(contestant, failure);
                contestant.close();
                left.remove();
            }
        }
    }

    /** A contestant has failed, and the others go on. */
    protected void leaveOut(Contestant contestant, IOException failure) {
        progress.accept("left out: " + contestant.title() + ": " + failure.getMessage());
    }

    /** Until turns take their time, and then until they get no faster; the work of a counted turn. */
    private Work warmUp(Contestant contestant, Work work, int batch) throws IOException {
        if (work.intervalNs() > 0) {
            // At full speed: at its own it would be warm after minutes.
            Work _ = warmUp(contestant, work.withInterval(0), batch);
            Work counted = work.withCount((int) Math.max(1, plan.turnNs() / work.intervalNs()));
            contestant.turn(counted);
            return counted;
        }
        if (contestant.isCompiled() && plan.count() > 0) {
            return work.withCount(plan.count());
        }
        double best = plan.warmUp() > 0 && !contestant.isCompiled()
                ? contestant.turn(work.withCount(plan.warmUp())).perSecond()
                : fastest(contestant, work, batch);
        int timed = batch > 0 ? batch : plan.batch(work, best);
        int count = plan.count(best);
        return work.withBatch(timed).withCount((count + timed - 1) / timed * timed);
    }

    /** The best rate of turns that have got no faster. */
    private double fastest(Contestant contestant, Work work, int batch) throws IOException {
        int first = contestant.isCompiled() ? FIRST_COUNT_COMPILED : FIRST_COUNT;
        int count = Math.clamp(FIRST_BYTES / Math.max(1, work.size()), 1, first);
        double best = contestant.turn(work.withCount(count)).perSecond();
        int same = 0;
        for (int turn = 0; turn < plan.warmUpTurns() && same < NO_FASTER; ) {
            contestant.rest();
            int wanted = (int) Math.clamp(best * plan.turnNs() / 1e9, 1, COUNT_MAX);
            boolean full = wanted <= (long) count * GROWTH;
            if (full && contestant.isCompiled()) {
                return best;
            }
            count = full ? wanted : count * GROWTH;
            int timed = batch > 0 ? batch : plan.batch(work, best);
            double rate = contestant
                    .turn(work.withBatch(Math.min(timed, count)).withCount(count))
                    .perSecond();
            turn += full ? 1 : 0;
            same = full && rate < best * GAIN ? same + 1 : 0;
            best = Math.max(best, rate);
        }
        return best;
    }
}
