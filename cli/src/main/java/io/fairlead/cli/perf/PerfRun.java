package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Laps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Carries a plan out: each case warmed up, then round by round, the contestants in turns. */
public final class PerfRun {
    private static final double NS_PER_US = 1e3;
    /** Operations shorter than this are timed in batches. */
    private static final double SHORT_US = 1;
    /** How long a batch is at least: a reading of the clock is then about a hundredth of it. */
    private static final double BATCH_US = 4;

    private static final int FIRST_COUNT = 16;
    private static final int GROWTH = 4;
    private static final int WARM_UP_COUNT = 20_000;
    private static final int WARM_UP_ROUNDS_MAX = 5;
    /** Rounds in a row that are no faster than the fastest by this factor end the warm-up. */
    private static final double STEADY_GAIN = 0.9;

    private static final int STEADY_ROUNDS = 4;
    private static final long STEADY_ROUND_NS = 50_000_000;
    private static final long STEADY_MAX_NS = 2_000_000_000;
    private static final long COUNT_MAX = 1_000_000_000;
    private static final long PERFTEST_WARM_UP_MAX = 10_000;
    private static final int PERFTEST_WARM_UP_SHARE = 10;

    private final PerfPlan plan;
    private final PerfConnection connection;
    private final Optional<PerfComparison> comparison;
    private final Consumer<String> progress;

    /** A contestant that is warm, and how many operations its rounds have. */
    private record Entrant(String name, Pairing pairing, Laps laps, long count, PerfResult.Series series) {
        void run() {
            // An exchange is two operations on either side, a message or put each way.
            long operations = count * pairing.test().trips();
            series.add(pairing.round(count, laps), operations);
        }
    }

    public PerfRun(
            PerfPlan plan, PerfConnection connection, Optional<PerfComparison> comparison, Consumer<String> progress) {
        this.plan = plan;
        this.connection = connection;
        this.comparison = comparison;
        this.progress = progress;
    }

    /** How many times progress is told. */
    public static long steps(PerfPlan plan) {
        return plan.cases().size() * (plan.rounds() + 1L);
    }

    public List<PerfResult> run() {
        List<PerfResult> results = new ArrayList<>();
        for (PerfCase perfCase : plan.cases()) {
            progress.accept(perfCase.label() + ", warm-up");
            results.add(measure(perfCase));
        }
        return results;
    }

    private PerfResult measure(PerfCase perfCase) {
        List<Pairing> open = new ArrayList<>();
        PerfResult result;
        try {
            result = measure(perfCase, open);
        } catch (RuntimeException failed) {
            for (Pairing pairing : open.reversed()) {
                closeAfter(failed, pairing);
            }
            throw failed;
        }
        open.reversed().forEach(Pairing::close);
        return result;
    }

    /** What follows from a failure must not hide it. */
    private static void closeAfter(RuntimeException failed, Pairing pairing) {
        try {
            pairing.close();
        } catch (RuntimeException follows) {
            failed.addSuppressed(follows);
        }
    }

    private PerfResult measure(PerfCase perfCase, List<Pairing> open) {
        Pairing fairlead = connection.fairlead(perfCase);
        open.add(fairlead);
        Map<String, Pairing> rivals = rivals(perfCase);
        open.addAll(rivals.values());
        Pairing.Round warm = warmUp(fairlead);
        // The median, because a stall of the machine does not move it.
        int batch = batch(warm.medianUs() * perfCase.test().trips());
        Entrant first = entrant(PerfServer.FAIRLEAD, fairlead, batch, warm);
        List<Entrant> others = rivals.entrySet().stream()
                .map(rival -> entrant(rival.getKey(), rival.getValue(), batch, warmUp(rival.getValue())))
                .toList();
        long referenceCount = comparison
                .map(with -> perftestCount(with.perftest(), perfCase, first.count()))
                .orElse(0L);
        PerfResult.Series reference = new PerfResult.Series(Optional.empty());
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept(perfCase.label() + ", round " + (round + 1) + " of " + plan.rounds());
            comparison.ifPresent(
                    with -> reference.add(perftest(with.perftest(), perfCase, referenceCount), referenceCount));
            first.run();
            others.forEach(Entrant::run);
        }
        Map<String, PerfResult.Series> subjects = new LinkedHashMap<>();
        comparison.ifPresent(with -> subjects.put(PerfResult.PERFTEST, reference));
        subjects.put(first.name(), first.series());
        others.forEach(entrant -> subjects.put(entrant.name(), entrant.series()));
        return new PerfResult(perfCase, batch, subjects);
    }

    /** Whom Fairlead is compared with in these processes, by their names, in the order of the table. */
    private Map<String, Pairing> rivals(PerfCase perfCase) {
        Map<String, Pairing> rivals = new LinkedHashMap<>();
        comparison.ifPresent(with -> {
            with.overUcx().ifPresent(ucx -> rivals.put(PerfResult.OVER_UCX, ucx.fairlead(perfCase)));
            connection
                    .rivals()
                    .forEach(name ->
                            connection.rival(name, perfCase, with.lanes()).ifPresent(rival -> rivals.put(name, rival)));
        });
        return rivals;
    }

    /**
     * Runs until a round takes its time with enough operations for the compiler, unless the next one would take several rounds'
     * time, as on a machine that is busy with other things; and then until rounds get no faster. Returns the fastest of the last ones.
     */
    private Pairing.Round warmUp(Pairing pairing) {
        Laps laps = laps(pairing.test(), 1);
        long count = plan.warmUp() > 0 ? plan.warmUp() : FIRST_COUNT;
        Pairing.Round round = pairing.round(count, laps);
        while (plan.warmUp() == 0
                && count < COUNT_MAX
                && laps.tookNs() * GROWTH < WARM_UP_ROUNDS_MAX * plan.roundNs()
                && (laps.tookNs() < plan.roundNs() || count < WARM_UP_COUNT)) {
            count *= GROWTH;
            round = pairing.round(count, laps);
        }
        return plan.warmUp() > 0 ? round : steady(pairing, laps, count, round);
    }

    /** Two loops that spin leave compilers little of two processors, so that to warm up takes as long as it takes. */
    private static Pairing.Round steady(Pairing pairing, Laps laps, long count, Pairing.Round last) {
        Pairing.Round best = last;
        long now = count;
        long untilNs = System.nanoTime() + STEADY_MAX_NS;
        int same = 0;
        while (same < STEADY_ROUNDS && System.nanoTime() - untilNs < 0) {
            now = Math.clamp(now * STEADY_ROUND_NS / Math.max(1, laps.tookNs()), 1, COUNT_MAX);
            Pairing.Round next = pairing.round(now, laps);
            same = next.meanUs() < best.meanUs() * STEADY_GAIN ? 0 : same + 1;
            best = next.meanUs() < best.meanUs() ? next : best;
        }
        return best;
    }

    private Entrant entrant(String name, Pairing pairing, int batch, Pairing.Round warm) {
        double operationNs = warm.meanUs() * NS_PER_US * pairing.test().trips();
        long wanted = plan.iterations() > 0 ? plan.iterations() : (long) (plan.roundNs() / operationNs);
        long count = Math.clamp((wanted + batch - 1) / batch * batch, batch, COUNT_MAX);
        Laps laps = laps(pairing.test(), batch);
        if (plan.warmUp() == 0) {
            // The compiler has seen batches of one until now, and throws away what it made for them.
            steady(pairing, laps, count, pairing.round(count, laps));
        }
        return new Entrant(name, pairing, laps, count, new PerfResult.Series(Optional.of(laps)));
    }

    /** A rate needs no time of single operations, and reading the clock for each would be a good part of a short one. */
    private static Laps laps(PerfTest test, int batch) {
        return new Laps(test.kind() == PerfTest.Kind.RATE ? Integer.MAX_VALUE : batch, test.trips());
    }

    private static int batch(double operationUs) {
        int batch = 1;
        while (operationUs > 0 && operationUs < SHORT_US && batch * operationUs < BATCH_US) {
            batch *= 2;
        }
        return batch;
    }

    /** As many operations as take the time of a round: short runs see less of what else the machine does than long ones. */
    private long perftestCount(Perftest program, PerfCase perfCase, long first) {
        if (plan.iterations() > 0) {
            return plan.iterations();
        }
        double aRound = perftest(program, perfCase, first).rate() * plan.roundNs() / TimeUnit.SECONDS.toNanos(1);
        return Math.clamp((long) (aRound / perfCase.test().trips()), 1, COUNT_MAX);
    }

    private static Pairing.Round perftest(Perftest program, PerfCase perfCase, long count) {
        try {
            Perftest.Figures figures = program.run(
                    perfCase.test().perftest(),
                    perfCase.size(),
                    perfCase.window(),
                    count,
                    Math.clamp(count / PERFTEST_WARM_UP_SHARE, 1, PERFTEST_WARM_UP_MAX));
            return new Pairing.Round(figures.medianUs(), figures.meanUs(), figures.rate(), 0);
        } catch (IOException failure) {
            throw CommandFailure.failed("ucx_perftest failed: test="
                    + perfCase.test().perftest() + ", size=" + perfCase.size() + " bytes; " + failure.getMessage());
        }
    }
}
