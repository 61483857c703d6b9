package io.fairlead.benchmarks.scale;

import io.fairlead.benchmarks.command.Comparison;
import io.fairlead.cli.measure.Report;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures how figures change as there is more of something. */
@Command(
        name = "scale",
        description =
                "How figures of Fairlead change with the number of endpoints, threads, subscribers and regions, with the size of messages, and"
                        + " with the number of processes: each beside the figure of the first number, over shared memory and TCP.")
public final class ScaleCommand extends Comparison {
    @Spec
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "TABLE",
            description = "endpoints, threads, subscribers, regions, sizes, processes; all without any.")
    private List<String> names = List.of();

    /** Creates it, for picocli. */
    public ScaleCommand() {}

    @Override
    protected void check() {
        List<String> known = Tables.ALL.stream().map(Table::title).toList();
        for (String name : names) {
            if (!known.contains(name)) {
                throw new ParameterException(
                        spec.commandLine(), "no such table: name=" + name + "; known are " + String.join(", ", known));
            }
        }
    }

    @Override
    protected void measure(Report report) {
        ScaleReport scale = new ScaleReport(System.out, report, System.err::println);
        Tables.ALL.stream()
                .filter(table -> names.isEmpty() || names.contains(table.title()))
                .forEach(table -> scale.measure(table, quick() ? ScalePlan.QUICK : ScalePlan.FULL));
    }
}
