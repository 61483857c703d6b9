package io.fairlead.cli.perf;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.Worker;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.measure.Laps;
import io.fairlead.cli.measure.Work;
import io.fairlead.cli.measure.WorkSide;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The tests over Fairlead in a process of their own; its arguments are options of {@code fairlead perf}. */
final class ComparedSide extends WorkSide {
    @Command
    private static final class Arguments {
        @Option(names = "--transport")
        private Optional<String> transport = Optional.empty();

        @Mixin
        private ConfigOptions options = new ConfigOptions();
    }

    private final FairleadConfig config;
    private final Context context;
    private final MetricsPort metrics;
    private final Worker worker;
    private final Optional<Address> listening;
    private @Nullable Endpoint endpoint;
    private @Nullable FairleadSide side;

    ComparedSide(List<String> arguments, Optional<String> address) {
        Arguments parsed = CommandLine.populateCommand(new Arguments(), arguments.toArray(String[]::new));
        config = PerfServer.patient(PerfCommand.config(parsed.options, parsed.transport));
        context = Context.open(config);
        metrics = MetricsPort.open(context);
        worker = context.newWorker();
        if (address.isPresent()) {
            endpoint = worker.connect(Address.parse(address.get()).resolve(), EndpointHandler.NONE);
            listening = Optional.empty();
            awaitPeer();
        } else {
            EndpointHandler accepting = new EndpointHandler() {
                @Override
                public void connected(Endpoint accepted) {
                    endpoint = accepted;
                }
            };
            listening = Optional.of(
                    Address.of(worker.listen(Address.parse("127.0.0.1:0").resolve(), accepting)
                            .address()));
        }
    }

    /** Where it listens, or the path that it has taken. */
    @Override
    public String address() {
        return listening
                .map(Address::toString)
                .orElseGet(() -> String.valueOf(connected().path().orElseThrow()));
    }

    @Override
    public void awaitPeer() {
        Dialogue.await(worker, () -> endpoint != null && endpoint.state() != EndpointState.CONNECTING, Long.MAX_VALUE);
        connected().failure().ifPresent(failure -> {
            throw failure;
        });
        side = new FairleadSide(worker, connected(), PerfServer.idle(config));
    }

    private Endpoint connected() {
        if (endpoint == null) {
            throw new IllegalStateException("nobody has connected");
        }
        return endpoint;
    }

    private FairleadSide side() {
        if (side == null) {
            throw new IllegalStateException("nobody has connected");
        }
        return side;
    }

    @Override
    protected void begin(Work work, boolean leads) {
        side().begin(work, leads);
    }

    @Override
    protected void lead(Work work, Laps times) {
        side().lead(work, times);
    }

    @Override
    protected void follow(Work work) {
        side().follow(work);
    }

    @Override
    protected void finish() {
        side().finish();
    }

    @Override
    public void close() {
        connected().close();
        side().close();
        worker.close();
        metrics.close();
        context.close();
    }
}
