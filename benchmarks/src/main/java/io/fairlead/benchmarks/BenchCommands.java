package io.fairlead.benchmarks;

import io.fairlead.samples.cli.SubcommandProvider;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code fairlead bench}, {@code fairlead perf} and {@code fairlead rdma-check}. */
public final class BenchCommands implements SubcommandProvider {
    /** Creates the provider, for {@link java.util.ServiceLoader}. */
    public BenchCommands() {}

    @Override
    public List<Object> subcommands() {
        return List.of(
                new CommandLine(new BenchCommand())
                        .addSubcommand(new TcpLatencyCommand())
                        .addSubcommand(new MetricsCostCommand())
                        .addSubcommand(new WakeUpCommand()),
                new PerfCommand(),
                new RdmaCheckCommand());
    }
}
