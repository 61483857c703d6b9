package io.fairlead.benchmarks.scale;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Status;
import io.fairlead.Worker;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.cli.measure.Side;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A side with one worker over one transport, whose thread idles as it does by default. */
abstract class WorkerSide implements Side {
    static final long TAG = 1;
    /** Ten times 100,000 and more. */
    private static final int REGIONS_MAX = 1 << 20;

    private static final long LIMIT_NS = TimeUnit.SECONDS.toNanos(50);
    private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(100);

    final Context context;
    final Worker worker;
    private final IdleStrategy idle = IdleStrategy.backOff();

    WorkerSide(String transport) {
        context = Context.open(config(transport));
        worker = context.newWorker();
    }

    static FairleadConfig config(String transport) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.TRANSPORTS, transport)
                .with(ConfigKeys.POLICY, ConfigKeys.POLICY.parse(transport))
                .with(ConfigKeys.REGIONS_MAX, REGIONS_MAX)
                // Many processes share a few processors while they start.
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofSeconds(30))
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofSeconds(30));
    }

    /** Makes progress, and idles if there was nothing to do. */
    final void advance() {
        idle.idle(worker, worker.progress());
    }

    /** Makes progress until something holds; fails where that takes too long. */
    final void await(String what, BooleanSupplier holds) {
        long startNs = System.nanoTime();
        while (!holds.getAsBoolean()) {
            advance();
            if (System.nanoTime() - startNs > LIMIT_NS) {
                throw new IllegalStateException(
                        "waited too long: for=" + what + ", limit=" + TimeUnit.NANOSECONDS.toSeconds(LIMIT_NS) + " s");
            }
        }
    }

    /** Connects, and waits until that is done. */
    final Endpoint connect(int port) {
        Endpoint endpoint = worker.connect(FairleadPeer.loopback(port), EndpointHandler.NONE);
        await("a connection", () -> endpoint.state() != EndpointState.CONNECTING);
        endpoint.failure().ifPresent(failure -> {
            throw failure;
        });
        return endpoint;
    }

    /** Listens, and returns the port. */
    final int listen() {
        return worker.listen(FairleadPeer.loopback(0), EndpointHandler.NONE)
                .address()
                .getPort();
    }

    /** Fails unless a call was taken. */
    static void taken(long answer) {
        if (answer < 0) {
            throw new IllegalStateException("an operation was not taken: " + Status.of(answer));
        }
    }

    /** Progress with long waits. */
    @Override
    public void rest() {
        if (worker.progress() == 0) {
            worker.await(REST_NS);
        }
    }

    @Override
    public final void wake() {
        worker.wakeup();
    }

    @Override
    public void close() {
        try {
            worker.close();
        } catch (FairleadException gone) {
            // The other process was first, which is how every run ends on one of the sides.
        }
        context.close();
    }
}
