package io.fairlead.cli.roce;

import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** In a guest, one of two processes with traffic between them, to which things are done. */
@Command(name = "roce-peer", hidden = true, description = "A process of fairlead roce-test.")
public final class RocePeerCommand implements Callable<Integer> {
    @Option(names = "--connect")
    private Optional<Address> connect = Optional.empty();

    @Option(names = "--listen")
    private Address listen = Address.parse("127.0.0.1:0");

    /** The listener closes its region when this file appears. */
    @Option(names = "--revoke-at")
    private Optional<Path> revokeAt = Optional.empty();

    /** Connects this often, then ends. */
    @Option(names = "--connections")
    private int connections = 1;

    /** Says how far it is after so many rounds. */
    @Option(names = "--report")
    private long reportRounds = 100;

    /** The connector asks for a region of this many bytes once it is running, and reports the result. */
    @Option(names = "--allocate")
    private long allocateBytes;

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        Testkit.check();
        return RoceProcesses.peer(listen, connect, revokeAt, connections, reportRounds, allocateBytes, config.load());
    }
}
