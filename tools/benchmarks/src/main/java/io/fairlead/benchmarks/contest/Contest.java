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
import io.fairlead.cli.measure.TextTable;
import io.fairlead.cli.measure.Turn;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
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
        if (idle == Idle.SPIN) {
            field.c().stream()
                    .filter(title -> suite.has(idle, title))
                    .forEach(title -> Perftest.find(Perftest.LANES)
                            .ifPresentOrElse(
                                    program -> started.add(program.titled(title)),
                                    () -> leaveOut(title, Perftest.MISSING)));
        }
        return started;
    }

    private void leaveOut(String title, String why) {
        out.println("  left out: " + title + ": " + why);
    }

    private void add(Suite suite, Case one, Map<String, List<Turn>> results) {
        String first = results.keySet().iterator().next();
        Figure figure = suite.figure();
        TextTable table = new TextTable(
                report,
                suite.title(),
                List.of(one.label(), figure.title(), "p99 us", "p99.9 us", "cpu us/msg", "ratio to " + first));
        results.forEach((title, turns) -> {
            TextTable.Line<Turn> line = table.line(title, one.label(), title, one.size(), turns)
                    .row("rate", "1/s", Spread.median(turns, Turn::perSecond));
            if (one.test() == PerfTest.TAG_LAT) {
                line.row("p50", "us", Spread.median(turns, Turn::p50Us));
            }
            line.text(TextTable.text(Spread.of(turns, figure::of)));
            if (one.test() == PerfTest.TAG_LAT) {
                line.median("p99", "us", Turn::p99Us).median("p99.9", "us", Turn::p999Us);
            } else {
                line.text("").text("");
            }
            line.median("processor", "us/message", Turn::processorUs)
                    .ratio(figure.metric(), first, results.getOrDefault(first, turns), figure::of);
        });
        out.println();
        table.print(out);
        for (Aim aim : suite.aims()) {
            List<Turn> subject = results.get(aim.subject());
            List<Turn> other = results.get(aim.other());
            if (aim.isOf(one) && subject != null && other != null) {
                double ratio = Spread.ratio(subject, other, figure::of).median();
                report.goals().add(aim.goal(suite.title(), ratio));
            }
        }
    }
}
