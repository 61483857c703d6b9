package io.fairlead.cli.perf;

import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.process.StopSignal;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The other side of {@code fairlead perf --connect}. */
@Command(name = "server", description = "Serve fairlead perf --connect, one client after the other, until stopped.")
final class PerfServerCommand implements Callable<Integer> {
    /** Begins the line that tells where it listens. */
    static final String LISTENING = "perf server at ";

    static final String ONCE = "--once";

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "HOST:PORT",
            defaultValue = Address.DEFAULT,
            description = "Where to listen (default: ${DEFAULT-VALUE}; port 0 takes a free one).")
    private Address listen = Address.parse(Address.DEFAULT);

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "Only this transport, such as shm, ucx or tcp (default: as the policy says, auto).")
    private Optional<String> transport = Optional.empty();

    @Option(names = ONCE, description = "End after the first client.")
    private boolean once;

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Override
    public Integer call() {
        FairleadConfig config = PerfCommand.config(options, transport);
        try (StopSignal stop = StopSignal.install()) {
            new PerfServer(config, stop::requested)
                    .run(listen, once ? 1 : Long.MAX_VALUE, address -> System.out.println(LISTENING + address));
        }
        return 0;
    }
}
