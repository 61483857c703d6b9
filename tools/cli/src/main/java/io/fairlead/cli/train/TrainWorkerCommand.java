package io.fairlead.cli.train;

import io.fairlead.Context;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.command.ConfigOptions;
import io.fairlead.cli.command.MetricsPort;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.samples.training.StrikeTable;
import io.fairlead.samples.training.TrainingException;
import io.fairlead.samples.training.TrainingWorker;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A worker process of {@code fairlead train}. */
@Command(name = "train-worker", hidden = true, description = "A worker process of fairlead train.")
public final class TrainWorkerCommand implements Callable<Integer> {
    @Option(names = "--rank", required = true)
    private int rank;

    @Option(names = "--workers", required = true)
    private int workers;

    @Option(names = "--coordinator", required = true)
    private Address coordinator = Address.parse(Address.DEFAULT);

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        InetSocketAddress address = coordinator.resolve();
        try (StopSignal stop = StopSignal.install();
                // The coordinator says later which path the ring takes.
                Context context = Context.open(ConfigOptions.withEveryTransport(config.load()));
                MetricsPort _ = MetricsPort.open(context);
                TrainingWorker worker = new TrainingWorker(context, StrikeTable.load(), rank, workers)) {
            stop.onRequest(worker::stop);
            worker.run(address, new InetSocketAddress(LocalAddress.towards(address), 0));
            return 0;
        } catch (TrainingException failure) {
            throw CommandFailure.failed(String.valueOf(failure.getMessage()));
        }
    }
}
