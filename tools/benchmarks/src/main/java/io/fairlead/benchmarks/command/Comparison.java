package io.fairlead.benchmarks.command;

import io.fairlead.benchmarks.plot.Plots;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.measure.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/** What every comparison takes, and how it ends. */
public abstract class Comparison implements Callable<Integer> {
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

    /** Whether a few short rounds are enough. */
    protected final boolean quick() {
        return quick;
    }

    /** Fails for arguments that are wrong, before anything else. */
    protected void check() {}

    /** Measures, prints the tables, and adds figures and goals. */
    protected abstract void measure(Report report) throws IOException;

    /** The exit status does not depend on the goals. */
    @Override
    public final Integer call() {
        check();
        json.ifPresent(Report::checkWritable);
        plot.ifPresent(Plots::checkWritable);
        Report report = new Report();
        Load.check();
        try {
            measure(report);
        } catch (IOException failure) {
            throw CommandFailure.failed("the comparison broke off: " + failure.getMessage());
        }
        Load.check();
        report.goals().forEach(goal -> System.out.println(goal.line()));
        json.ifPresent(report::write);
        plot.ifPresent(folder -> Plots.write(report, folder));
        return 0;
    }
}
