package io.fairlead.benchmarks;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.benchmarks.contest.Contest;
import io.fairlead.benchmarks.contest.Suite;
import io.fairlead.cli.measure.Report;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measures messages beside what else sends them. */
@Command
final class ContestCommand extends Comparison {
    private final Suite suite;

    @Option(
            names = "--only",
            paramLabel = "CONTESTANT",
            split = ",",
            description = "Only these, by their names in the tables; ratios are to the first of a table.")
    private @Nullable Set<String> only;

    @Spec
    private CommandSpec spec;

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
    protected void check() {
        if (only == null) {
            return;
        }
        List<String> known = suite.contestants();
        // Commas alone name nobody.
        for (String name : only.isEmpty() ? Set.of("") : only) {
            if (!known.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "no such contestant: --only=" + name + ", allowed " + String.join(", ", known));
            }
        }
    }

    @Override
    protected void measure(Report report) {
        new Contest(quick(), System.out, System.err::println, report).run(only == null ? suite : suite.of(only));
    }
}
