package io.fairlead.benchmarks.plot;

import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.FileProblem;
import io.fairlead.cli.measure.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Draws what comparisons have written. */
@Command(
        name = "plot",
        description = "Draw the latencies that comparisons have measured: one panel for each, with the reports of"
                + " fairlead perf --compare and fairlead bench tcp-latency.")
public final class PlotCommand implements Callable<Integer> {
    @Parameters(paramLabel = "REPORT", arity = "1..*", description = "What a comparison wrote with --json.")
    private List<Path> reports = List.of();

    @Option(names = "--svg", required = true, paramLabel = "FILE", description = "Write the drawing to this file.")
    private Path svg = Path.of("");

    /** Creates the command, for picocli. */
    public PlotCommand() {}

    @Override
    public Integer call() {
        List<LatencyPanel> panels =
                LatencyPanel.of(reports.stream().map(Report::read).toList());
        if (panels.isEmpty()) {
            throw CommandFailure.usage(
                    "no latency to compare in " + reports
                            + "; write reports with fairlead perf --compare --json FILE or fairlead bench tcp-latency --json FILE");
        }
        try {
            Files.writeString(svg, LatencyPlot.draw(panels));
        } catch (IOException failure) {
            throw CommandFailure.failed("cannot write the drawing: file=" + svg + "; " + FileProblem.of(failure)
                    + "; name a file in a folder that exists");
        }
        return 0;
    }
}
