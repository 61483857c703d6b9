package io.fairlead.benchmarks.contest;

import io.fairlead.benchmarks.contest.Suite.Aim;
import io.fairlead.benchmarks.contest.Suite.Case;
import io.fairlead.benchmarks.contest.Suite.Field;
import io.fairlead.benchmarks.contest.Suite.Figure;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.measure.Report.Row;
import io.fairlead.cli.measure.Spread;
import io.fairlead.cli.perf.Perftest;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Runs suites and prints their tables. */
public final class Contest {
    /** The lanes of UCX within a host that its C program is given. */
    public static final String LANES = "posix,self,cma";

    private static final Rounds.Plan QUICK = new Rounds.Plan(3, 200_000_000, 16);
    private static final Rounds.Plan FULL = new Rounds.Plan(5, 200_000_000, 16);

    private final Rounds.Plan plan;
    private final PrintStream out;
    private final Consumer<String> progress;

    Contest(Rounds.Plan plan, PrintStream out, Consumer<String> progress) {
        this.plan = plan;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Prepares.
     *
     * @param quick a few short rounds
     * @param out takes the tables
     * @param progress takes a line for each step, and who was left out
     */
    public static Contest of(boolean quick, PrintStream out, Consumer<String> progress) {
        return new Contest(quick ? QUICK : FULL, out, progress);
    }

    /** Runs a suite, prints its tables and adds its figures to a report. */
    public void run(Suite suite, Report report) {
        out.println();
        out.println(suite.title() + ": " + suite.description() + "; medians of " + plan.rounds()
                + " rounds in turns, in brackets the least and the greatest");
        for (Field field : suite.fields()) {
            for (Contestant contestant : field.contestants()) {
                out.println("  " + contestant.title() + ": " + contestant.settings());
            }
            for (Idle idle : Idle.values()) {
                List<Case> cases =
                        suite.cases().stream().filter(one -> one.idle() == idle).toList();
                if (!cases.isEmpty()) {
                    run(suite, field, idle, cases, report);
                }
            }
        }
    }

    private void run(Suite suite, Field field, Idle idle, List<Case> cases, Report report) {
        List<Entrant> entrants = entrants(suite, field, idle);
        try {
            for (Case one : cases) {
                List<Entrant> ofCase = new ArrayList<>(entrants);
                ofCase.removeIf(entrant -> !suite.has(one, entrant.title()));
                Map<String, List<Turn>> results =
                        new Rounds(plan, progress).run(suite.title() + " " + one.label(), one.work(), ofCase);
                if (!results.isEmpty()) {
                    add(suite, one, results, report);
                }
                // Who failed is not there any more.
                entrants.removeIf(entrant -> suite.has(one, entrant.title()) && !ofCase.contains(entrant));
            }
        } finally {
            entrants.forEach(Entrant::close);
        }
    }

    private List<Entrant> entrants(Suite suite, Field field, Idle idle) {
        List<Entrant> entrants = new ArrayList<>();
        for (Contestant contestant : field.contestants()) {
            if (!suite.has(idle, contestant.title())) {
                continue;
            }
            contestant
                    .unavailable()
                    .or(() -> contestant.cannot(idle))
                    .ifPresentOrElse(why -> leftOut(contestant.title(), why), () -> start(contestant, idle, entrants));
        }
        if (field.besideC() && idle == Idle.SPIN) {
            Perftest.find(LANES)
                    .ifPresentOrElse(
                            program -> entrants.add(new Reference(program)),
                            () -> leftOut(Reference.TITLE, "not in the path; install the package " + Perftest.PACKAGE));
        }
        return entrants;
    }

    private void start(Contestant contestant, Idle idle, List<Entrant> entrants) {
        progress.accept("starting " + contestant.title());
        try {
            entrants.add(Pair.start(contestant, idle));
        } catch (IOException failure) {
            leftOut(contestant.title(), String.valueOf(failure.getMessage()));
        }
    }

    private void leftOut(String title, String why) {
        progress.accept("left out: " + title + ": " + why);
    }

    private void add(Suite suite, Case one, Map<String, List<Turn>> results, Report report) {
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
            Spread spread = Spread.of(turns.stream().map(figure::of).toList());
            Spread ratio = ratio(figure, turns, results.getOrDefault(first, turns));
            out.printf(
                    Locale.ROOT,
                    "%-18s %14s (%9s to %9s) %10s %10s %10s %8.2f (%.2f to %.2f)%n",
                    title,
                    number(spread.median()),
                    number(spread.least()),
                    number(spread.greatest()),
                    number(median(turns.stream().map(Turn::p99Us).toList())),
                    number(median(turns.stream().map(Turn::p999Us).toList())),
                    number(median(turns.stream().map(Turn::processorUs).toList())),
                    ratio.median(),
                    ratio.least(),
                    ratio.greatest());
            rows(suite, one, title, turns, report);
            if (!title.equals(first)) {
                report.rows()
                        .add(new Row(
                                suite.title(),
                                one.label(),
                                title + "/" + first,
                                one.size(),
                                figure.name().toLowerCase(Locale.ROOT),
                                ratio.median(),
                                "ratio"));
            }
        });
        for (Aim aim : suite.aims()) {
            List<Turn> subject = results.get(aim.subject());
            List<Turn> rival = results.get(aim.rival());
            if (aim.isOf(one) && subject != null && rival != null) {
                report.goals()
                        .add(aim.goal(
                                suite.title(), ratio(figure, subject, rival).median()));
            }
        }
    }

    private static void rows(Suite suite, Case one, String title, List<Turn> turns, Report report) {
        Row about = new Row(suite.title(), one.label(), title, one.size(), "", 0, "");
        row(report, about, "rate", median(turns.stream().map(Turn::perSecond).toList()), "1/s");
        if (one.kind() == Work.Kind.ASK) {
            row(report, about, "p50", median(turns.stream().map(Turn::p50Us).toList()), "us");
            row(report, about, "p99", median(turns.stream().map(Turn::p99Us).toList()), "us");
            row(report, about, "p99.9", median(turns.stream().map(Turn::p999Us).toList()), "us");
        }
        row(
                report,
                about,
                "processor",
                median(turns.stream().map(Turn::processorUs).toList()),
                "us/message");
    }

    private static void row(Report report, Row about, String metric, double value, String unit) {
        report.rows().add(new Row(about.suite(), about.name(), about.subject(), about.size(), metric, value, unit));
    }

    private static Spread ratio(Figure figure, List<Turn> subject, List<Turn> rival) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < subject.size(); i++) {
            ratios.add(figure.of(subject.get(i)) / figure.of(rival.get(i)));
        }
        return Spread.of(ratios);
    }

    private static double median(List<Double> figures) {
        return Spread.of(figures).median();
    }

    /** With as many digits as tell something; nothing for what was not measured. */
    private static String number(double value) {
        if (value == 0) {
            return "";
        }
        return String.format(Locale.ROOT, value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.3f", value);
    }
}
