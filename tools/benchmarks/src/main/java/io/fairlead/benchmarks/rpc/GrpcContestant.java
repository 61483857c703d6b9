package io.fairlead.benchmarks.rpc;

import io.fairlead.Context;
import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.netty.channel.epoll.Epoll;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What gRPC's bytes go over. */
enum GrpcContestant {
    /** Fairlead's channels over shared memory. */
    SHM("fairlead-shm"),
    /** Fairlead's channels over TCP. */
    TCP("fairlead-tcp"),
    /** What gRPC takes for an address and a port if it is asked for nothing else. */
    DEFAULT("grpc-default"),
    /** Unix domain sockets, by Netty's channels on epoll. */
    UDS("grpc-uds");

    /** Those that Fairlead is measured beside. */
    static final List<GrpcContestant> BESIDE = List.of(DEFAULT, UDS);

    private final String label;

    GrpcContestant(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    /** Those that can run on this host; tells of each that cannot, and why. */
    static List<GrpcContestant> available() {
        return Arrays.stream(values())
                .filter(contestant -> {
                    Optional<String> missing = contestant.missing();
                    missing.ifPresent(
                            reason -> System.err.println("grpc: without " + contestant.label + ": " + reason));
                    return missing.isEmpty();
                })
                .toList();
    }

    /** Why it cannot run here; empty if it can. */
    private Optional<String> missing() {
        return switch (this) {
            case SHM -> missingTransport("shm");
            case TCP, DEFAULT -> Optional.empty();
            case UDS ->
                Epoll.isAvailable()
                        ? Optional.empty()
                        : Optional.of("Netty's epoll has no library for this platform: " + Epoll.unavailabilityCause());
        };
    }

    private static Optional<String> missingTransport(String name) {
        try (Context context = Context.open(FairleadConfig.defaults())) {
            return context.transports().stream().anyMatch(one -> one.name().equals(name) && one.available())
                    ? Optional.empty()
                    : Optional.of("see ./fairlead doctor for what it misses");
        }
    }

    /** Of a contestant of Fairlead's. As by default, but patient: on a busy machine a contestant may wait long for its turn. */
    FairleadConfig config() {
        return FairleadConfig.defaults()
                .with(ConfigKeys.POLICY, this == SHM ? PathPolicy.named("shm") : PathPolicy.TCP_ONLY)
                .with(ConfigKeys.STALL_TIMEOUT, Duration.ofMinutes(1));
    }
}
