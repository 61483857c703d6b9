package io.fairlead.cli.perf;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.perf.Leader.Round;
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
    private final List<Leader> leaders;
    private final Optional<Perftest> perftest;
    private final Consumer<String> progress;

    /** A contestant that is warm, and how many operations its rounds have. */
    private record Entrant(Leader leader, long count, List<Round> rounds) {
        void run() {
            rounds.add(leader.round(count));
        }

        PerfResult.Series series(PerfTest test) {
            // An exchange is two operations on either side, a message or put each way.
            return new PerfResult.Series(rounds, count * test.trips(), Optional.of(leader.percentiles()));
        }
    }

    /** Fairlead alone, led by this process. */
    public PerfRun(PerfPlan plan, PerfConnection connection, Consumer<String> progress) {
        this(plan, List.of(LocalLeader.fairlead(connection)), Optional.empty(), progress);
    }

    /**
     * Fairlead beside others.
     *
     * @param leaders of the contestants, Fairlead first
     * @param perftest UCX's C program, if it is one of them
     */
    PerfRun(PerfPlan plan, List<Leader> leaders, Optional<Perftest> perftest, Consumer<String> progress) {
        this.plan = plan;
        this.leaders = leaders;
        this.perftest = perftest;
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
        List<Leader> open = new ArrayList<>();
        PerfResult result;
        try {
            result = measure(perfCase, open);
        } catch (RuntimeException failed) {
            for (Leader leader : open.reversed()) {
                endAfter(failed, leader);
            }
            throw failed;
        }
        open.reversed().forEach(Leader::end);
        return result;
    }

    /** What follows from a failure must not hide it. */
    private static void endAfter(RuntimeException failed, Leader leader) {
        try {
            leader.end();
        } catch (RuntimeException follows) {
            failed.addSuppressed(follows);
        }
    }

    private PerfResult measure(PerfCase perfCase, List<Leader> open) {
        for (Leader leader : leaders) {
            if (leader.open(perfCase)) {
                open.add(leader);
            }
        }
        PerfTest test = perfCase.test();
        Round warm = warmUp(open.getFirst());
        // The median, because a stall of the machine does not move it.
        int batch = batch(warm.medianUs() * test.trips());
        List<Entrant> entrants = new ArrayList<>();
        entrants.add(entrant(open.getFirst(), test, batch, warm));
        for (Leader rival : open.subList(1, open.size())) {
            entrants.add(entrant(rival, test, batch, warmUp(rival)));
        }
        long referenceCount = perftest.map(program ->
                        perftestCount(program, perfCase, entrants.getFirst().count()))
                .orElse(0L);
        List<Round> reference = new ArrayList<>();
        for (int round = 0; round < plan.rounds(); round++) {
            progress.accept(perfCase.label() + ", round " + (round + 1) + " of " + plan.rounds());
            perftest.ifPresent(program -> reference.add(perftest(program, perfCase, referenceCount)));
            entrants.forEach(Entrant::run);
        }
        Map<String, PerfResult.Series> subjects = new LinkedHashMap<>();
        if (perftest.isPresent()) {
            subjects.put(PerfResult.PERFTEST, new PerfResult.Series(reference, referenceCount, Optional.empty()));
        }
        entrants.forEach(entrant -> subjects.put(entrant.leader().subject(), entrant.series(test)));
        return new PerfResult(perfCase, batch, subjects);
    }

    /**
     * Runs until a round takes its time with enough operations for the compiler, unless the next one would take several rounds'
     * time, as on a machine that is busy with other things; and then until rounds get no faster. Returns the fastest of the last ones.
     */
    private Round warmUp(Leader leader) {
        long count = plan.warmUp() > 0 ? plan.warmUp() : FIRST_COUNT;
        Round round = leader.round(count);
        while (plan.warmUp() == 0
                && count < COUNT_MAX
                && round.tookNs(count) * GROWTH < WARM_UP_ROUNDS_MAX * plan.roundNs()
                && (round.tookNs(count) < plan.roundNs() || count < WARM_UP_COUNT)) {
            count *= GROWTH;
            round = leader.round(count);
        }
        return plan.warmUp() > 0 ? round : steady(leader, count, round);
    }

    /** Two loops that spin leave compilers little of two processors, so that to warm up takes as long as it takes. */
    private static Round steady(Leader leader, long count, Round last) {
        Round best = last;
        long now = count;
        long tookNs = last.tookNs(count);
        long untilNs = System.nanoTime() + STEADY_MAX_NS;
        int same = 0;
        while (same < STEADY_ROUNDS && System.nanoTime() - untilNs < 0) {
            now = Math.clamp(now * STEADY_ROUND_NS / Math.max(1, tookNs), 1, COUNT_MAX);
            Round next = leader.round(now);
            tookNs = next.tookNs(now);
            same = next.meanUs() < best.meanUs() * STEADY_GAIN ? 0 : same + 1;
            best = next.meanUs() < best.meanUs() ? next : best;
        }
        return best;
    }

    private Entrant entrant(Leader leader, PerfTest test, int batch, Round warm) {
        double operationNs = warm.meanUs() * NS_PER_US * test.trips();
        long wanted = plan.iterations() > 0 ? plan.iterations() : (long) (plan.roundNs() / operationNs);
        long count = Math.clamp((wanted + batch - 1) / batch * batch, batch, COUNT_MAX);
        leader.time(batch);
        if (plan.warmUp() == 0) {
            // The compiler has seen batches of one until now, and throws away what it made for them.
            steady(leader, count, leader.round(count));
            leader.time(batch);
        }
        return new Entrant(leader, count, new ArrayList<>());
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

    private static Round perftest(Perftest program, PerfCase perfCase, long count) {
        try {
            Perftest.Figures figures = program.run(
                    perfCase.test().perftest(),
                    perfCase.size(),
                    perfCase.window(),
                    count,
                    Math.clamp(count / PERFTEST_WARM_UP_SHARE, 1, PERFTEST_WARM_UP_MAX));
            return new Round(figures.medianUs(), figures.meanUs(), figures.rate(), 0);
        } catch (IOException failure) {
            throw CommandFailure.failed("ucx_perftest failed: test="
                    + perfCase.test().perftest() + ", size=" + perfCase.size() + " bytes; " + failure.getMessage());
        }
    }
}
