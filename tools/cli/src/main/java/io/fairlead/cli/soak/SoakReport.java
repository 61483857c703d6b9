package io.fairlead.cli.soak;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a run has found.
 *
 * @param transport what the endpoints used
 * @param seed the run's seed
 * @param rounds how many rounds there were
 * @param seconds how long they took
 * @param counts by scenario
 * @param holdings what this process held, and how that grew
 * @param faults what must not have happened
 */
record SoakReport(
        String transport,
        long seed,
        int rounds,
        double seconds,
        Map<String, Counts> counts,
        List<Held> holdings,
        List<Fault> faults) {
    SoakReport {
        counts = new TreeMap<>(counts);
        holdings = List.copyOf(holdings);
        faults = List.copyOf(faults);
    }

    /** Of one scenario: its rounds, their operations, and those that failed as they may. */
    record Counts(int rounds, long operations, long failures) {
        Counts plus(Counts other) {
            return new Counts(rounds + other.rounds, operations + other.operations, failures + other.failures);
        }
    }

    /** How much of something the process held at first and at last, and the growth by the slope. */
    record Held(Holdings.Kind kind, long first, long last, long growth) {
        boolean isLeak() {
            return growth > kind.noise();
        }
    }

    /** Something that must not have happened, and in which round. */
    record Fault(int round, String what, String fault) {}

    /** Whether nothing was lost, doubled, damaged or leaked, and nothing hung. */
    boolean ok() {
        return faults.isEmpty() && holdings.stream().noneMatch(Held::isLeak);
    }

    /** A table for people. */
    String text() {
        StringBuilder text = new StringBuilder();
        add(text, "%n%s, seed %d: %d rounds in %.0f s%n", transport, seed, rounds, seconds);
        add(text, "%-12s %8s %12s %12s%n", "scenario", "rounds", "operations", "failed as due");
        counts.forEach((label, count) ->
                add(text, "%-12s %8d %,12d %,12d%n", label, count.rounds(), count.operations(), count.failures()));
        add(text, "%-12s %12s %12s %12s%n", "held", "first", "last", "growth");
        holdings.forEach(held -> add(
                text,
                "%-12s %,12d %,12d %,12d%s%n",
                held.kind().name().toLowerCase(Locale.ROOT),
                held.first(),
                held.last(),
                held.growth(),
                held.isLeak() ? "  GROWS: more than " + held.kind().noise() : ""));
        faults.forEach(fault -> add(
                text,
                "FAULT in %s: %s; again: fairlead soak --transport=%s --seed=%d --round=%d%n",
                fault.what(),
                fault.fault(),
                transport,
                seed,
                fault.round()));
        return text.toString();
    }

    private static void add(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments));
    }
}
