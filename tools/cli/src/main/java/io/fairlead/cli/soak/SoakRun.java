package io.fairlead.cli.soak;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.cli.soak.SoakReport.Fault;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Rounds, one after the other, between this process and a member, and what both hold in between. */
final class SoakRun implements AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final long SAMPLE_NS = TimeUnit.SECONDS.toNanos(2);

    /** After so many a run ends: more of them say nothing new. */
    private static final int FAULTS_MAX = 100;

    private final long seed;
    private final String transport;
    private final FairleadConfig config;
    private final List<String> configuration;
    private final StopSignal stop;
    private final Consumer<String> progress;

    private final Map<String, SoakReport.Counts> counts = new TreeMap<>();
    private final List<Fault> faults = new ArrayList<>();
    private final Map<Holdings.Kind, Trend> trends = new EnumMap<>(Holdings.Kind.class);
    private final long begun = System.nanoTime();
    private long sampled = begun;
    private @Nullable SoakMember member;

    /**
     * Prepares a run.
     *
     * @param seed what all that is random follows from
     * @param transport what the endpoints use
     * @param config this side's configuration
     * @param configuration the member's, as arguments
     * @param stop ends the run between two rounds
     * @param progress takes a line for each round
     */
    SoakRun(
            long seed,
            String transport,
            FairleadConfig config,
            List<String> configuration,
            StopSignal stop,
            Consumer<String> progress) {
        this.seed = seed;
        this.transport = transport;
        this.config = config;
        this.configuration = configuration;
        this.stop = stop;
        this.progress = progress;
        for (Holdings.Kind kind : Holdings.Kind.values()) {
            trends.put(kind, new Trend());
        }
    }

    /** Runs rounds from a number on, until the time is over, or some have run. */
    SoakReport run(int first, int roundsMax, long durationNs) throws InterruptedException {
        int number = first;
        while (number - first < roundsMax
                && System.nanoTime() - begun < durationNs
                && faults.size() < FAULTS_MAX
                && !stop.requested()) {
            run(Round.of(seed, number));
            sample();
            number++;
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        List<SoakReport.Held> held = trends.entrySet().stream()
                .map(entry -> new SoakReport.Held(
                        entry.getKey(),
                        entry.getValue().first(),
                        entry.getValue().last(),
                        entry.getValue().growth()))
                .toList();
        return new SoakReport(transport, seed, number - first, seconds, counts, held, faults);
    }

    private void run(Round round) throws InterruptedException {
        long roundBegun = System.nanoTime();
        Tally tally = new Tally();
        SoakMember other = member();
        boolean failed = false;
        try {
            round.scenario().run(round, config, other, tally);
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Throwable thrown) {
            tally.fault("this half failed: %s", thrown);
            failed = true;
        }
        collect(round, other, tally);
        if (failed) {
            end();
        }
        add(round, tally.result());
        counts.merge(round.scenario().label(), new SoakReport.Counts(1, 0, 0), SoakReport.Counts::plus);
        progress.accept(String.format(
                Locale.ROOT,
                "%s: %.1f s, operations=%,d, faults=%d",
                round,
                (System.nanoTime() - roundBegun) / 1e9,
                counts.values().stream()
                        .mapToLong(SoakReport.Counts::operations)
                        .sum(),
                faults.size()));
    }

    /** The member's half ends. */
    private void collect(Round round, SoakMember other, Tally tally) throws InterruptedException {
        try {
            if (other.isAlive()) {
                add(round, JSON.readValue(other.ask(MemberLine.END, MemberLine.RESULT), Tally.Result.class));
            } else if (round.incident() != Round.Incident.KILL || other.exitStatus() != SoakMember.KILLED) {
                tally.fault("the member has ended with status %d: last words=%s", other.exitStatus(), other.words());
            }
        } catch (IOException | RuntimeException silent) {
            tally.fault("the member does not end its half: %s", silent);
            end();
        }
    }

    private void add(Round round, Tally.Result result) {
        counts.merge(
                round.scenario().label(),
                new SoakReport.Counts(0, result.operations(), result.failures()),
                SoakReport.Counts::plus);
        result.faults().forEach(fault -> faults.add(new Fault(round.number(), round.toString(), fault)));
    }

    /** The living member: rounds that killed it are followed by a new one. */
    private SoakMember member() {
        SoakMember living = member;
        if (living == null || !living.isAlive()) {
            end();
            living = SoakMember.start(configuration);
            member = living;
        }
        return living;
    }

    private void sample() {
        long now = System.nanoTime();
        if (now - sampled < SAMPLE_NS) {
            return;
        }
        sampled = now;
        Holdings holdings = Holdings.now();
        trends.forEach((kind, trend) -> trend.add((now - begun) / 1e9, holdings.amount(kind)));
    }

    private void end() {
        if (member != null) {
            member.close();
        }
    }

    @Override
    public void close() {
        end();
    }
}
