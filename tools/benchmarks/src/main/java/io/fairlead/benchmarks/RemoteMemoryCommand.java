package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.perf.PerfCommand;
import picocli.CommandLine.Command;

/** Measures puts, gets and atomics beside UCX's C program and raw JUCX. */
@Command(
        name = "rma",
        description = {
            "Beside UCX's C program, raw JUCX and Fairlead over UCX: puts, gets and fetching additions, spinning.",
            "fairlead bench perf --compare has messages too, and options for sizes and rounds."
        })
final class RemoteMemoryCommand extends Comparison {
    @Override
    protected void measure(Report report) {
        PerfCommand.compareRemoteMemory(quick(), report, Contestants::besidePerf);
    }
}
