package io.fairlead.cli.roce;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** In a guest, a peer that reaches for memory which it was not given. */
@Command(name = "roce-hostile", hidden = true, description = "A process of fairlead roce-test.")
public final class RoceHostileCommand implements Callable<Integer> {
    @Option(names = "--connect", required = true)
    private Address connect = Address.parse(Address.DEFAULT);

    /** The file that makes the listener close its region. */
    @Option(names = "--revoke-at", required = true)
    private Path revokeAt = Path.of("revoke");

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() throws IOException {
        Testkit.check();
        return RoceProcesses.hostile(connect, revokeAt, config.load());
    }
}
