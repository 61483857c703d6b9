package io.fairlead.benchmarks;

import io.fairlead.benchmarks.contest.Contestants;
import io.fairlead.benchmarks.contest.Suite;
import io.fairlead.benchmarks.plot.PlotCommand;
import io.fairlead.benchmarks.rpc.GrpcCommand;
import io.fairlead.benchmarks.rpc.RpcCommand;
import io.fairlead.benchmarks.scale.ScaleCommand;
import io.fairlead.cli.command.SubcommandProvider;
import io.fairlead.cli.perf.PerfCommand;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code fairlead bench}. */
public final class BenchCommands implements SubcommandProvider {
    /** Creates the provider, for {@link java.util.ServiceLoader}. */
    public BenchCommands() {}

    @Override
    public List<Object> subcommands() {
        CommandLine bench = new CommandLine(new BenchCommand());
        for (Suite suite : Suite.all()) {
            bench.addSubcommand(suite.title(), ContestCommand.of(suite));
        }
        return List.of(bench.addSubcommand(new TcpLatencyCommand())
                .addSubcommand(new MetricsCostCommand())
                .addSubcommand(new TlsCommand())
                .addSubcommand(new WakeUpCommand())
                .addSubcommand(new RemoteMemoryCommand())
                .addSubcommand(new RpcCommand())
                .addSubcommand(new GrpcCommand())
                .addSubcommand(new StartupCommand())
                .addSubcommand(new ScaleCommand())
                .addSubcommand(new PerfCommand(Contestants::besidePerf))
                .addSubcommand(new PlotCommand()));
    }
}
