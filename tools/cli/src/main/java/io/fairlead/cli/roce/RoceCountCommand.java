package io.fairlead.cli.roce;

import io.fairlead.cli.command.ConfigOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** In a guest, what single operations cost. */
@Command(name = "roce-count", hidden = true, description = "A process of fairlead roce-test.")
public final class RoceCountCommand implements Callable<Integer> {
    @Option(names = "--warmup")
    private int warmUp = 15_000;

    @Option(names = "--operations")
    private int operations = 2000;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        Testkit.check();
        return RoceProcesses.count(warmUp, operations, config.load());
    }
}
