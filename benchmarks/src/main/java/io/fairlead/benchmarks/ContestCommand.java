package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.BenchOptions;
import io.fairlead.benchmarks.command.Load;
import io.fairlead.benchmarks.contest.Contest;
import io.fairlead.benchmarks.contest.Suite;
import io.fairlead.cli.measure.Report;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Measures messages beside what else sends them. */
@Command
final class ContestCommand implements Callable<Integer> {
    private final Suite suite;

    @Mixin
    private final BenchOptions options = new BenchOptions();

    private ContestCommand(Suite suite) {
        this.suite = suite;
    }

    static CommandLine of(Suite suite) {
        CommandLine command = new CommandLine(new ContestCommand(suite));
        command.getCommandSpec().name(suite.title());
        command.getCommandSpec()
                .usageMessage()
                .description(
                        "Beside UCX's C program, raw NIO, Netty, Aeron, JeroMQ and NATS: " + suite.description() + ".");
        return command;
    }

    @Override
    public Integer call() {
        options.check();
        Load.check();
        Report report = new Report();
        Contest.of(options.quick(), System.out, System.err::println).run(suite, report);
        Load.check();
        return options.finish(report);
    }
}
