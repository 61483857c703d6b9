package io.fairlead.spring;

import io.fairlead.config.ConfigKey;
import io.fairlead.spi.ConfigKeyProvider;
import java.util.List;

/**
 * The configuration keys of this starter. They are properties as all keys are, with {@code fairlead.} before them, and are read from an application's
 * properties and environment variables alone. The service loader makes one.
 */
public final class SpringKeys implements ConfigKeyProvider {
    /** Whether there is anything. */
    public static final ConfigKey<Boolean> ENABLED =
            ConfigKey.flag("spring.enabled", true, "Whether Spring Boot configures a node and what belongs to it.");

    /** Where the publisher listens. */
    public static final ConfigKey<String> PUBLISHER_ADDRESS = Addresses.key(
            "spring.publisher.address", "Where the application's publisher listens; not set: it has none.");

    /** Where the publisher is that listeners and the subscriber connect to. */
    public static final ConfigKey<String> SUBSCRIBER_ADDRESS = Addresses.serviceKey(
            "spring.subscriber.address",
            "Where the publisher listens that the application's subscriber and listeners connect to; not set: it has no subscriber.");

    /** Peers to connect to. */
    public static final ConfigKey<String> PEERS = ConfigKey.of(
            "spring.peers",
            String.class,
            "",
            "",
            "name=host:port with commas between, or a name such as dns:host:port for host:port",
            "Peers that the application connects to, and again whenever they are lost.",
            text -> {
                Addresses.named(text);
                return text;
            });

    /** Sets of peers. */
    public static final ConfigKey<String> SETS = ConfigKey.of(
            "spring.sets",
            String.class,
            "",
            "",
            "name=dns:host:port with commas between, or another name of a service or host:port for dns:host:port",
            "Sets of peers that the application calls, each by the name of its service.",
            text -> {
                Addresses.named(text);
                return text;
            });

    /** Where the node listens for callers of its services. */
    public static final ConfigKey<String> SERVICES_ADDRESS = Addresses.key(
            "spring.services.address",
            "Where the application's node listens for callers of its services; not set: it does not.");

    /** What the node is registered as. */
    public static final ConfigKey<String> SERVICES_NAME = Addresses.serviceKey(
            "spring.services.name",
            "The name of a service under which the node is registered, such as zk://host:port/path; not set: it is not.");

    /** How others reach the node. */
    public static final ConfigKey<String> SERVICES_ADVERTISED = Addresses.key(
            "spring.services.advertised",
            "The address that is registered, with port 0 for the port of spring.services.address; not set: that address.");

    /** Threads of a listener. */
    public static final ConfigKey<Integer> LISTENER_CONCURRENCY = ConfigKey.count(
            "spring.listener.concurrency",
            1,
            1,
            256,
            "Threads of a listener that does not name a number itself; with more than one, messages are handled out of order.");

    /** Messages that wait for a listener. */
    public static final ConfigKey<Integer> LISTENER_QUEUE_MAX = ConfigKey.count(
            "spring.listener.queue-max",
            1024,
            1,
            1 << 20,
            "Messages that wait for the threads of one listener; while so many wait it takes none from its publisher.");

    /** Whether the gRPC server takes Fairlead's connections. */
    public static final ConfigKey<Boolean> GRPC_SERVER = ConfigKey.flag(
            "spring.grpc.server",
            false,
            "Whether the gRPC server of Spring takes Fairlead's connections in place of TCP's.");

    /** Event loops of the gRPC server. */
    public static final ConfigKey<Integer> GRPC_THREADS =
            ConfigKey.count("spring.grpc.threads", 1, 1, 1024, "Event loops that carry gRPC over Fairlead.");

    /** Whether operations are observed. */
    public static final ConfigKey<Boolean> OBSERVATIONS = ConfigKey.flag(
            "spring.observations",
            true,
            "Whether operations and listeners are observed by the application's registry.");

    /** For the service loader. */
    public SpringKeys() {}

    @Override
    public List<ConfigKey<?>> configKeys() {
        return List.of(
                ENABLED,
                PUBLISHER_ADDRESS,
                SUBSCRIBER_ADDRESS,
                PEERS,
                SETS,
                SERVICES_ADDRESS,
                SERVICES_NAME,
                SERVICES_ADVERTISED,
                LISTENER_CONCURRENCY,
                LISTENER_QUEUE_MAX,
                GRPC_SERVER,
                GRPC_THREADS,
                OBSERVATIONS);
    }
}
