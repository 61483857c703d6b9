package io.fairlead;

import java.time.Duration;
import java.util.List;

/** The keys of the core. Those of transports are with their providers. */
public final class ConfigKeys {
    /** The name that peers see. */
    public static final ConfigKey<String> NODE_NAME = ConfigKey.of(
            "node.name",
            String.class,
            "",
            "",
            "at most 64 characters; empty: host and process id",
            "The name that peers see.",
            s -> s);
    /** Transports that may be used. */
    public static final ConfigKey<String> TRANSPORTS = ConfigKey.of(
            "transports",
            String.class,
            "",
            "",
            "names with commas; empty: all that are available",
            "Transports that may be used.",
            s -> s);
    /** Which paths endpoints may take. */
    public static final ConfigKey<PathPolicy> POLICY = ConfigKey.of(
            "policy",
            PathPolicy.class,
            PathPolicy.AUTO,
            "",
            "auto, require-rdma, tcp-only or a transport's name",
            "Which paths endpoints may take.",
            PathPolicy::parse);
    /** How long a handshake may take. */
    public static final ConfigKey<Duration> CONNECT_TIMEOUT =
            duration("connect.timeout", 5000, "How long connecting and its handshake may take.");
    /** How long a graceful close may take. */
    public static final ConfigKey<Duration> CLOSE_TIMEOUT =
            duration("close.timeout", 1000, "How long a close waits for operations in flight.");
    /** How long a peer may be silent. */
    public static final ConfigKey<Duration> LIVENESS_TIMEOUT =
            duration("liveness.timeout", 2000, "How long a peer may be silent before it is taken for dead.");
    /** Operations in flight per worker. */
    public static final ConfigKey<Integer> OPERATIONS_MAX =
            integer("worker.operations-max", 16384, "", "Operations in flight per worker.");
    /** Unexpected bytes per endpoint. */
    public static final ConfigKey<Integer> CREDIT_BYTES = integer(
            "endpoint.credit-bytes",
            1 << 20,
            "bytes",
            "What a peer may send on an endpoint ahead of matching receives.");
    /** Greatest eager message. */
    public static final ConfigKey<Integer> EAGER_MAX = integer(
            "endpoint.eager-max",
            1 << 16,
            "bytes",
            "The longest message that is sent without waiting for its receive.");
    /** Handshakes at once. */
    public static final ConfigKey<Integer> PENDING_MAX =
            integer("listener.pending-max", 128, "", "Handshakes that a listener carries on at once.");
    /** Memory regions at once. */
    public static final ConfigKey<Integer> REGIONS_MAX =
            integer("regions-max", 65536, "", "Memory regions that are open at once.");
    /** What progress loops do when idle. */
    public static final ConfigKey<String> IDLE_STRATEGY = ConfigKey.of(
            "idle.strategy",
            String.class,
            "backoff",
            "",
            "backoff, busy-spin or blocking",
            "What progress loops of nodes and commands do when idle.",
            s -> s);
    /** Progress threads of a node. */
    public static final ConfigKey<Integer> NODE_THREADS = integer("node.threads", 1, "", "Progress threads of a node.");
    /** Operations of a peer that wait in a node. */
    public static final ConfigKey<Integer> NODE_QUEUE_MAX =
            integer("node.queue-max", 4096, "", "Operations of one peer that wait in a node to be posted.");
    /** What a node does with operations that cannot be taken on now. */
    public static final ConfigKey<BackPressure> NODE_BACK_PRESSURE = ConfigKey.of(
            "node.back-pressure",
            BackPressure.class,
            BackPressure.WAIT,
            "",
            "wait or fail",
            "What a node does with operations that cannot be taken on now.",
            BackPressure::parse);
    /** How long a call may wait for room. */
    public static final ConfigKey<Duration> NODE_WAIT_TIMEOUT =
            duration("node.wait-timeout", 10_000, "How long a call may block while node.queue-max operations wait.");
    /** Longest message that a node receives unasked. */
    public static final ConfigKey<Integer> NODE_MESSAGE_MAX = integer(
            "node.message-max",
            1 << 24,
            "bytes",
            "The longest message that a node receives where the call names no limit.");

    private ConfigKeys() {}

    /**
     * All keys of the core.
     *
     * @return in the order of the reference file
     */
    public static List<ConfigKey<?>> all() {
        return List.of(
                NODE_NAME,
                TRANSPORTS,
                POLICY,
                CONNECT_TIMEOUT,
                CLOSE_TIMEOUT,
                LIVENESS_TIMEOUT,
                OPERATIONS_MAX,
                CREDIT_BYTES,
                EAGER_MAX,
                PENDING_MAX,
                REGIONS_MAX,
                IDLE_STRATEGY,
                NODE_THREADS,
                NODE_QUEUE_MAX,
                NODE_BACK_PRESSURE,
                NODE_WAIT_TIMEOUT,
                NODE_MESSAGE_MAX);
    }

    private static ConfigKey<Duration> duration(String name, long defaultMs, String description) {
        return ConfigKey.of(
                name,
                Duration.class,
                Duration.ofMillis(defaultMs),
                "ms",
                "10 to 3600000 ms",
                description,
                s -> Duration.ofMillis(Long.parseLong(s)));
    }

    private static ConfigKey<Integer> integer(String name, int defaultValue, String unit, String description) {
        return ConfigKey.of(name, Integer.class, defaultValue, unit, "1 and up", description, Integer::valueOf);
    }
}
