package io.fairlead.benchmarks.contest;

import io.fairlead.Context;
import io.fairlead.Endpoint;
import io.fairlead.EndpointHandler;
import io.fairlead.EndpointState;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.TransportInfo;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A context with one worker, as both of Fairlead's contestants open and connect them. */
final class FairleadPeer {
    private static final long PAUSE_NS = 100_000;
    private static final int IDLE_TURNS = 100;

    final Context context;
    final Worker worker;
    private @Nullable Endpoint accepted;

    /**
     * Opens them.
     *
     * @param policy the key {@code policy}
     */
    FairleadPeer(String policy) {
        // The other contestants have their turns in between, without any progress here.
        context = Context.open(FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, ConfigKeys.POLICY.parse(policy))
                .with(ConfigKeys.LIVENESS_TIMEOUT, Duration.ofMinutes(30)));
        worker = context.newWorker();
    }

    /** Why a transport cannot be used here. */
    static Optional<String> unavailable(String transport) {
        try (Context context =
                Context.open(FairleadConfig.defaults().with(ConfigKeys.POLICY, PathPolicy.named(transport)))) {
            return context.transports().stream()
                    .filter(one -> one.name().equals(transport) && !one.available())
                    .map(TransportInfo::cause)
                    .findFirst();
        }
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    FairleadLink listen(Address address) {
        address.tell(worker.listen(loopback(0), new EndpointHandler() {
                    @Override
                    public void connected(Endpoint endpoint) {
                        accepted = endpoint;
                    }
                })
                .address()
                .getPort());
        await(() -> accepted != null);
        Endpoint endpoint = accepted;
        if (endpoint == null) {
            throw new IllegalStateException("nobody has connected");
        }
        return new FairleadLink(this, endpoint);
    }

    FairleadLink connect(int port) {
        Endpoint endpoint = worker.connect(loopback(port), EndpointHandler.NONE);
        await(() -> endpoint.state() != EndpointState.CONNECTING);
        endpoint.failure().ifPresent(failure -> {
            throw failure;
        });
        return new FairleadLink(this, endpoint);
    }

    /** Lets everything leave that can. */
    void settle() {
        int idle = 0;
        while (idle < IDLE_TURNS) {
            idle = worker.progress() == 0 ? idle + 1 : 0;
        }
    }

    /** Makes progress until something holds; the process is ended by who has started it if that never comes. */
    void await(BooleanSupplier holds) {
        while (!holds.getAsBoolean()) {
            if (worker.progress() == 0) {
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }
}
