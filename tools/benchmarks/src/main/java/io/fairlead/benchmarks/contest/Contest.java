package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.contest.Suite.Aim;
import io.fairlead.benchmarks.contest.Suite.Case;
import io.fairlead.benchmarks.contest.Suite.Field;
import io.fairlead.benchmarks.contest.Suite.Figure;
import io.fairlead.cli.measure.Contestant;
import io.fairlead.cli.measure.PerfTest;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Rounds;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.measure.Turn;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Runs suites and prints their tables. */
public final class Contest {
    private static final Rounds.Plan QUICK = new Rounds.Plan(3, 200_000_000, 16);
    private static final Rounds.Plan FULL = new Rounds.Plan(5, 200_000_000, 16);

    private final Rounds.Plan plan;
    private final PrintStream out;
    private final Consumer<String> progress;
    private final Report report;

    /**
     * Prepares.
     *
     * @param quick a few short rounds
     * @param out takes the tables, and which contestants were left out
     * @param progress takes a line for each step
     * @param report takes the figures and goals
     */
    public Contest(boolean quick, PrintStream out, Consumer<String> progress, Report report) {
        this.plan = quick ? QUICK : FULL;
        this.out = out;
        this.progress = progress;
        this.report = report;
    }

    /** Runs a suite, prints its tables and adds its figures to the report. */
    public void run(Suite suite) {
        out.println();
        out.println(suite.title() + ": " + suite.description() + "; medians of " + plan.rounds()
                + " rounds in turns, in brackets the least and the greatest");
        for (Field field : suite.fields()) {
            for (Contestants contestant : field.contestants()) {
                out.println("  " + contestant.title() + ": " + contestant.settings());
            }
            for (Idle idle : Idle.values()) {
                List<Case> cases =
                        suite.cases().stream().filter(one -> one.idle() == idle).toList();
                if (!cases.isEmpty()) {
                    run(suite, field, idle, cases);
                }
            }
        }
    }

    private void run(Suite suite, Field field, Idle idle, List<Case> cases) {
        List<Contestant> taking = start(suite, field, idle);
        try {
            for (Case one : cases) {
                List<Contestant> ofCase = new ArrayList<>(taking);
                ofCase.removeIf(contestant -> !suite.has(one, contestant.title()));
                Map<String, List<Turn>> results =
                        new Rounds(plan, progress).run(suite.title() + " " + one.label(), one.work(), ofCase);
                if (!results.isEmpty()) {
                    add(suite, one, results);
                }
                // One that failed is not there any more.
                taking.removeIf(contestant -> suite.has(one, contestant.title()) && !ofCase.contains(contestant));
            }
        } finally {
            taking.forEach(Contestant::close);
        }
    }

    private List<Contestant> start(Suite suite, Field field, Idle idle) {
        List<Contestant> started = new ArrayList<>();
        for (Contestants contestant : field.contestants()) {
            if (suite.has(idle, contestant.title())) {
                contestant
                        .unavailable()
                        .or(() -> contestant.cannot(idle))
                        .ifPresentOrElse(why -> leaveOut(contestant.title(), why), () -> {
                            progress.accept("starting " + contestant.title());
                            try {
                                started.add(contestant.start(idle));
                            } catch (IOException failure) {
                                leaveOut(contestant.title(), String.valueOf(failure.getMessage()));
                            }
                        });
            }
        }
        if (field.besideC() && idle == Idle.SPIN) {
            Perftest.find(Perftest.LANES)
                    .ifPresentOrElse(started::add, () -> leaveOut(Perftest.TITLE, Perftest.MISSING));
        }
        return started;
    }

    private void leaveOut(String title, String why) {
        out.println("  left out: " + title + ": " + why);
    }

    private void add(Suite suite, Case one, Map<String, List<Turn>> results) {
        String first = results.keySet().iterator().next();
        Figure figure = suite.figure();
        out.printf(
                Locale.ROOT,
                "%n%-18s %38s %10s %10s %10s %24s%n",
                one.label(),
                figure.title(),
                "p99 us",
                "p99.9 us",
                "cpu us/msg",
                "ratio to " + first);
        results.forEach((title, turns) -> {
            Spread spread = Spread.of(turns, figure::of);
            Spread ratio = Spread.ratio(turns, results.getOrDefault(first, turns), figure::of);
            out.printf(
                    Locale.ROOT,
                    "%-18s %14s (%9s to %9s) %10s %10s %10s %8.2f (%.2f to %.2f)%n",
                    title,
                    number(spread.median()),
                    number(spread.least()),
                    number(spread.greatest()),
                    number(Spread.median(turns, Turn::p99Us)),
                    number(Spread.median(turns, Turn::p999Us)),
                    number(Spread.median(turns, Turn::processorUs)),
                    ratio.median(),
                    ratio.least(),
                    ratio.greatest());
            row(suite, one, title, "rate", Spread.median(turns, Turn::perSecond), "1/s");
            if (one.test() == PerfTest.TAG_LAT) {
                row(suite, one, title, "p50", Spread.median(turns, Turn::p50Us), "us");
                row(suite, one, title, "p99", Spread.median(turns, Turn::p99Us), "us");
                row(suite, one, title, "p99.9", Spread.median(turns, Turn::p999Us), "us");
            }
            row(suite, one, title, "processor", Spread.median(turns, Turn::processorUs), "us/message");
            if (!title.equals(first)) {
                String metric = figure.name().toLowerCase(Locale.ROOT);
                row(suite, one, title + "/" + first, metric, ratio.median(), "ratio");
            }
        });
        for (Aim aim : suite.aims()) {
            List<Turn> subject = results.get(aim.subject());
            List<Turn> other = results.get(aim.other());
            if (aim.isOf(one) && subject != null && other != null) {
                double ratio = Spread.ratio(subject, other, figure::of).median();
                report.goals().add(aim.goal(suite.title(), ratio));
            }
        }
    }

    private void row(Suite suite, Case one, String subject, String metric, double value, String unit) {
        report.add(suite.title(), one.label(), subject, one.size(), metric, value, unit);
    }

    /** With as many digits as matter; nothing for what was not measured. */
    private static String number(double value) {
        if (value == 0) {
            return "";
        }
        return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.3f", value);
    }
}
