package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.benchmarks.contest.Contest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.perf.PerfCommand;
import io.fairlead.cli.perf.Perftest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures puts, gets and atomics beside UCX's C program and raw JUCX. */
@Command(
        name = "rma",
        description = {
            "Beside UCX's C program, raw JUCX and Fairlead over UCX: puts, gets and fetching additions, spinning.",
            "fairlead bench perf --compare has messages too, and options for sizes and rounds."
        })
final class RemoteMemory implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        Load.check();
        Report report = new Report();
        PerfCommand.compareRemoteMemory(options.quick(), report);
        Load.check();
        return options.finish(report);
    }

    /** As a part of all comparisons: left out, with the reason on standard error, where there is no C program. */
    static void measure(boolean quick, Report report) {
        if (Perftest.find(Contest.LANES).isEmpty()) {
            System.err.println(
                    "left out: rma: ucx_perftest is not in the path; install the package " + Perftest.PACKAGE);
            return;
        }
        System.out.println();
        System.out.println("rma: puts, gets and fetching additions");
        PerfCommand.compareRemoteMemory(quick, report);
    }
}
