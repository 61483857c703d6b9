package io.fairlead.benchmarks;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The comparisons, by name. */
@Command(name = "bench", description = "Measure Fairlead beside its references, in one run, as ratios.")
final class BenchCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "which comparison? one of " + spec.subcommands().keySet());
    }
}
