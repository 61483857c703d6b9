package io.fairlead.node;

import io.fairlead.config.ConfigKey;
import io.fairlead.spi.ConfigKeyProvider;
import java.time.Duration;
import java.util.List;

/** The configuration keys of nodes. The service loader makes one, so that a file may name the keys. */
public final class NodeKeys implements ConfigKeyProvider {
    /** Progress threads of a node. */
    public static final ConfigKey<Integer> THREADS =
            ConfigKey.count("node.threads", 1, 1, 1024, "Progress threads of a node.");

    /** Operations of a peer that wait in a node. */
    public static final ConfigKey<Integer> QUEUE_MAX = ConfigKey.count(
            "node.queue-max", 4096, 1, 1 << 20, "Operations of one peer that wait in a node to be posted.");

    /** Bytes of operations that wait in a node. */
    public static final ConfigKey<Integer> QUEUE_BYTES = ConfigKey.bytes(
            "node.queue-bytes",
            64 << 20,
            1 << 20,
            1 << 30,
            "Bytes of copied messages, requests and replies that wait in a node to be sent; a quarter of them for one peer.");

    /** What a node does with operations that cannot be taken on now. */
    public static final ConfigKey<BackPressure> BACK_PRESSURE = ConfigKey.choice(
            "node.back-pressure",
            BackPressure.class,
            BackPressure.WAIT,
            "What a node does with operations that cannot be taken on now.");

    /** How long a call may wait for capacity. */
    public static final ConfigKey<Duration> WAIT_TIMEOUT = ConfigKey.duration(
            "node.wait-timeout",
            Duration.ofSeconds(10),
            Duration.ofMillis(1),
            Duration.ofHours(1),
            "How long a call may block while node.queue-max operations or node.queue-bytes wait.");

    /** Longest message that a node receives unasked. */
    public static final ConfigKey<Integer> MESSAGE_MAX = ConfigKey.bytes(
            "node.message-max",
            16 << 20,
            1,
            1 << 30,
            "The longest message that a node receives where the call names no limit.");

    /** Requests of a peer that are in flight. */
    public static final ConfigKey<Integer> REQUESTS_MAX = ConfigKey.count(
            "node.requests-max",
            768,
            1,
            1 << 16,
            "Requests of a node to one peer that are not answered. A service takes 960 of one peer by default.");

    /** How long a question to a resolver or registry may take. */
    public static final ConfigKey<Duration> DISCOVERY_TIMEOUT = ConfigKey.duration(
            "node.discovery-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(10),
            Duration.ofHours(1),
            "How long one question to a name server or registry may take.");

    /** The shortest pause between two questions. */
    public static final ConfigKey<Duration> DISCOVERY_REFRESH_MIN = ConfigKey.duration(
            "node.discovery-refresh-min",
            Duration.ofSeconds(1),
            Duration.ofMillis(10),
            Duration.ofHours(1),
            "The shortest pause before a name server or registry is asked again, whatever the TTL of its answer.");

    /** How long a registry keeps the entry of a process that has died. */
    public static final ConfigKey<Duration> DISCOVERY_LEASE = ConfigKey.duration(
            "node.discovery-lease",
            Duration.ofSeconds(10),
            Duration.ofSeconds(1),
            Duration.ofHours(1),
            "How long a registry keeps the entry of a process that has died.");

    /** For the service loader. */
    public NodeKeys() {}

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of(
                THREADS,
                QUEUE_MAX,
                QUEUE_BYTES,
                BACK_PRESSURE,
                WAIT_TIMEOUT,
                MESSAGE_MAX,
                REQUESTS_MAX,
                DISCOVERY_TIMEOUT,
                DISCOVERY_REFRESH_MIN,
                DISCOVERY_LEASE);
    }
}
