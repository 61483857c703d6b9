package io.fairlead.benchmarks.startup;

import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.cli.measure.Report;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures how soon new processes have their first answer. */
@Command(
        name = "startup",
        description =
                "How soon two new processes have their first answer of 8 B: from the start of the connecting process, and inside"
                        + " it; beside raw NIO, Netty, Aeron, JeroMQ and NATS.")
public final class StartupCommand implements Callable<Integer> {
    @Mixin
    private final BenchOptions options = new BenchOptions();

    /** Creates it, for picocli. */
    public StartupCommand() {}

    @Override
    public Integer call() {
        options.check();
        Load.check();
        Report report = new Report();
        new StartupReport(System.out, report).measure(options.quick(), System.err::println);
        Load.check();
        return options.finish(report);
    }
}
