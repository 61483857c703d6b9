package io.fairlead.cli.train;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.cli.command.Address;
import io.fairlead.cli.command.CommandFailure;
import io.fairlead.cli.process.StopSignal;
import io.fairlead.node.launch.Launch;
import io.fairlead.samples.training.StrikeTable;
import io.fairlead.samples.training.TrainingException;
import io.fairlead.samples.training.TrainingWorker;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A worker that a launcher has started: it waits for process 0, which may start later, and takes part in its run. */
final class LaunchedWorker {
    /** As long as the coordinator waits for workers. */
    private static final long CONNECT_LIMIT_S = 120;

    private static final long PAUSE_MS = 250;

    private LaunchedWorker() {}

    static void run(Launch launch, FairleadConfig config, StopSignal stop) throws InterruptedException {
        InetSocketAddress address = new Address(launch.host(), launch.port()).resolve();
        StrikeTable table = StrikeTable.load();
        long startNs = System.nanoTime();
        try (Context context = Context.open(config)) {
            while (!tryRun(launch, context, table, address, stop)) {
                if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(CONNECT_LIMIT_S)) {
                    throw CommandFailure.failed("process 0 of this run did not listen within " + CONNECT_LIMIT_S
                            + " s: address=" + launch.host() + ":" + launch.port() + ", rank=" + launch.rank()
                            + "; start it, or set MASTER_ADDR and MASTER_PORT to where it listens");
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (TrainingException failure) {
            throw CommandFailure.failed(String.valueOf(failure.getMessage()));
        }
    }

    /** False if process 0 does not listen yet. */
    private static boolean tryRun(
            Launch launch, Context context, StrikeTable table, InetSocketAddress address, StopSignal stop) {
        try (TrainingWorker worker = new TrainingWorker(context, table, launch.rank(), launch.size())) {
            stop.onRequest(worker::stop);
            worker.run(address, new InetSocketAddress(LocalAddress.towards(address), 0));
            return true;
        } catch (TrainingException failure) {
            if (failure.isUnreachable() && !stop.requested()) {
                return false;
            }
            throw failure;
        }
    }
}
