package io.fairlead.benchmarks.contest;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.IdleStrategy;
import io.fairlead.Status;
import io.fairlead.TransportInfo;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A context with one worker, as Fairlead's contestants open and connect them. Belongs to the thread that made it. */
public final class FairleadPeer implements EndpointHandler, AutoCloseable {
    private static final long PAUSE_NS = 100_000;
    private static final int IDLE_TURNS = 100;

    private final Context context;
    private final Worker worker;
    private final IdleStrategy idle;
    private final Deque<Endpoint> accepted = new ArrayDeque<>();

    FairleadPeer(String policy, Idle idle) {
        this(config(policy, idle));
    }

    public FairleadPeer(FairleadConfig config) {
        context = Context.open(config);
        worker = context.newWorker();
        idle = IdleStrategy.named(config.value(ConfigKeys.IDLE_STRATEGY));
    }

    /** Patient: the other contestants have their turns in between, without any progress here, and many processes may start at once. */
    public static FairleadConfig config(String policy, Idle idle) {
        return FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, ConfigKeys.POLICY.parse(policy))
                .with(ConfigKeys.IDLE_STRATEGY, idle.strategy())
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(30))
                .with(ConfigKeys.CONNECT_TIMEOUT, Duration.ofMinutes(1))
                .with(ConfigKeys.HELLO_TIMEOUT, Duration.ofMinutes(1));
    }

    /** Why a transport cannot be used here. */
    public static Optional<String> unavailable(String transport) {
        try (Context context = Context.open(FairleadConfig.defaults().with(ConfigKeys.TRANSPORTS, transport))) {
            return context.transports().stream()
                    .filter(one -> one.name().equals(transport) && !one.available())
                    .map(TransportInfo::cause)
                    .findFirst();
        }
    }

    public static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    public static InetSocketAddress loopback(String port) {
        return loopback(Integer.parseInt(port));
    }

    public Context context() {
        return context;
    }

    public Worker worker() {
        return worker;
    }

    /** The port at which it listens. */
    public int listen() {
        return worker.listen(loopback(0), this).address().getPort();
    }

    @Override
    public void connected(Endpoint endpoint) {
        accepted.add(endpoint);
    }

    /** The next that has connected. */
    public Endpoint accept() {
        await(() -> !accepted.isEmpty());
        return accepted.remove();
    }

    public Endpoint connect(int port) {
        Endpoint endpoint = worker.connect(loopback(port), EndpointHandler.NONE);
        await(() -> endpoint.state() != EndpointState.CONNECTING);
        endpoint.failure().ifPresent(failure -> {
            throw failure;
        });
        return endpoint;
    }

    /** Makes progress, and idles if there was nothing to do. */
    public void advance() {
        idle.idle(worker, worker.progress());
    }

    /** Fails unless a call was taken. */
    public static void taken(long answer) {
        if (answer < 0) {
            throw new IllegalStateException("an operation was not taken: " + Status.of(answer));
        }
    }

    /** Lets everything leave that can. */
    void settle() {
        for (int turns = 0; turns < IDLE_TURNS; ) {
            turns = worker.progress() == 0 ? turns + 1 : 0;
        }
    }

    /** Makes progress until something holds; the process is ended by its parent if that never comes. */
    public void await(BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            if (worker.progress() == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
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
