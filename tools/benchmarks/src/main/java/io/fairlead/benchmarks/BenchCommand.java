package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.benchmarks.contest.Contest;
import io.fairlead.benchmarks.contest.Suite;
import io.fairlead.benchmarks.rpc.RpcReport;
import io.fairlead.benchmarks.scale.ScaleReport;
import io.fairlead.benchmarks.startup.StartupReport;
import io.fairlead.cli.measure.Report;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The comparisons: by name, or without one those of messages, remote memory, requests and starts, one after the other. */
@Command(
        name = "bench",
        description = {
            "Measure Fairlead beside its references, in one run, as ratios.",
            "Without a comparison's name: latency, rate, bandwidth, pubsub, cpu, rma, rpc and startup, one after the other; with --quick"
                    + " what goals are set for, of these and of scale. The others take too long for that or have references of their own,"
                    + " and run by their names."
        })
final class BenchCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    @Override
    public Integer call() {
        options.check();
        Load.check();
        Report report = new Report();
        Contest contest = Contest.of(options.quick(), System.out, System.err::println);
        for (Suite suite : options.quick() ? Suite.ofGoals() : Suite.all()) {
            contest.run(suite, report);
            Load.check();
        }
        RemoteMemory.measure(options.quick(), report);
        Load.check();
        RpcReport rpc = new RpcReport(System.out, report);
        if (options.quick()) {
            rpc.measureGoals(System.err::println);
            Load.check();
            new ScaleReport(System.out, report, System.err::println).measureGoals();
        } else {
            rpc.measure(false, System.err::println);
            Load.check();
            new StartupReport(System.out, report).measure(false, System.err::println);
        }
        Load.check();
        return options.finish(report);
    }
}
