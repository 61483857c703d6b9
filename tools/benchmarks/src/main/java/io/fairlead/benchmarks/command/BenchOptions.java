package io.fairlead.benchmarks.command;

import io.fairlead.benchmarks.plot.Plots;
import io.fairlead.cli.measure.Report;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What every comparison takes, and how it ends. */
public final class BenchOptions {
    @Option(names = "--json", paramLabel = "FILE", description = "Write all figures and goals to this file too.")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--quick", description = "A few short rounds: to see that it works, not to quote.")
    private boolean quick;

    @Option(
            names = "--plot",
            paramLabel = "DIR",
            description =
                    "Draw latency by size, rate by size and percentiles, as far as they were measured, as SVG and PNG in"
                            + " this folder.")
    private Optional<Path> plot = Optional.empty();

    /** Creates them, for picocli. */
    public BenchOptions() {}

    /** Before anything is measured: fails if the figures could not be kept. */
    public void check() {
        json.ifPresent(Report::checkWritable);
        plot.ifPresent(Plots::checkWritable);
    }

    /** Whether a few short rounds are enough. */
    public boolean quick() {
        return quick;
    }

    /** Prints what the figures were to reach and writes what was asked for; the exit status, which does not depend on the goals. */
    public int finish(Report report) {
        report.goals().forEach(goal -> System.out.println(goal.line()));
        json.ifPresent(report::write);
        plot.ifPresent(folder -> Plots.write(report, folder));
        return 0;
    }
}
