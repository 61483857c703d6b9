package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.benchmarks.contest.Contest;
import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.Suite;
import io.fairlead.benchmarks.rpc.RpcCommand;
import io.fairlead.benchmarks.scale.ScaleReport;
import io.fairlead.cli.measure.Perftest;
import io.fairlead.cli.measure.Report;
import io.fairlead.cli.perf.PerfCommand;
import java.io.IOException;
import picocli.CommandLine.Command;

/** The comparisons: by name, or without one those of messages, remote memory, requests and starts, one after the other. */
@Command(
        name = "bench",
        description = {
            "Measure Fairlead beside its references, in one run, as ratios.",
            "Without a comparison's name: latency, rate, bandwidth, pubsub, cpu, rma, rpc and startup, one after the other; with --quick"
                    + " what goals are set for, of these and of scale. The others take too long for that or have references of their own,"
                    + " and run by their names."
        })
final class BenchCommand extends Comparison {
    @Override
    protected void measure(Report report) throws IOException {
        Contest contest = new Contest(quick(), System.out, System.err::println, report);
        for (Suite suite : quick() ? Suite.ofGoals() : Suite.all()) {
            contest.run(suite);
            Load.check();
        }
        if (Perftest.find(Perftest.LANES).isEmpty()) {
            System.out.println();
            System.out.println("left out: rma: " + Perftest.TITLE + " is " + Perftest.MISSING);
        } else {
            System.out.println();
            System.out.println("rma: puts, gets and fetching additions");
            PerfCommand.compareRemoteMemory(quick(), report, Contestants::besidePerf);
        }
        Load.check();
        if (quick()) {
            RpcCommand.measureGoals(report);
            Load.check();
            new ScaleReport(System.out, report, System.err::println).measureGoals();
        } else {
            RpcCommand.measure(false, report);
            Load.check();
            StartupCommand.measure(false, System.out, report);
        }
    }
}
