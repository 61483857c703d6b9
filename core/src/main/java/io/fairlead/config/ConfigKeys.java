package io.fairlead.config;

import io.fairlead.PathPolicy;
import io.fairlead.SecurityMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The configuration keys of the core. Node, publish-subscribe and the transports define their own. Each constant has
 * its type, unit, default and range; {@code config/fairlead.conf} lists them all.
 */
public final class ConfigKeys {
    /** The name that peers see in logs and errors; empty means host and process id. */
    public static final ConfigKey<String> NODE_NAME =
            ConfigKey.text("node.name", "", 64, "The name that peers see; empty: host and process id.");

    /** The transports that a context may use, separated by commas; empty means all that are available. */
    public static final ConfigKey<String> TRANSPORTS = ConfigKey.of(
            "transports",
            String.class,
            "",
            "",
            "up to 16 names with commas between, each 1 to 32 of a-z 0-9 -",
            "Transports that may be used; empty: all that are available.",
            ConfigKeys::transportNames);

    /** The {@link PathPolicy} of endpoints: which paths they may take. */
    public static final ConfigKey<PathPolicy> POLICY = ConfigKey.of(
            "policy",
            PathPolicy.class,
            PathPolicy.AUTO,
            "",
            "auto, require-rdma, tcp-only or a transport's name",
            "Which paths endpoints may take.",
            text -> PathPolicy.parse(text.strip()));

    /** The timeout of connecting, with the handshake; then the endpoint fails. */
    public static final ConfigKey<Duration> CONNECT_TIMEOUT = ConfigKey.duration(
            "connect.timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(10),
            Duration.ofMinutes(10),
            "How long connecting and its handshake may take.");

    /** The timeout of a close for operations in flight, and then again for the peer to receive what was sent. */
    public static final ConfigKey<Duration> CLOSE_TIMEOUT = ConfigKey.duration(
            "close.timeout",
            Duration.ofSeconds(1),
            Duration.ZERO,
            Duration.ofMinutes(10),
            "How long a close waits for operations in flight, and then for the peer to take what was sent.");

    /** How long a peer's host may leave network probes unanswered before its endpoints fail. */
    public static final ConfigKey<Duration> LIVENESS_TIMEOUT = ConfigKey.duration(
            "liveness.timeout",
            Duration.ofSeconds(2),
            Duration.ofMillis(100),
            Duration.ofHours(1),
            "How long the host of a silent peer may answer nothing before it is taken for lost.");

    /**
     * How long a peer's worker may stall before its endpoint fails; {@link #LIVENESS_TIMEOUT} if that is longer than
     * the default.
     */
    public static final ConfigKey<Duration> STALL_TIMEOUT = ConfigKey.duration(
            "stall.timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofDays(1),
            "How long a peer whose host answers may stand still before its endpoint fails; at least liveness.timeout.");

    /** Whether a lost connection is made again, if the peer has this on too. */
    public static final ConfigKey<String> FAILOVER = ConfigKey.choice(
            "endpoint.failover",
            "off",
            List.of("off", "on"),
            "Whether an endpoint goes on when its TCP connection, its shared memory or UCX fails; on: if the peer has it on too.");

    /** How long a broken connection may stay without another one. */
    public static final ConfigKey<Duration> FAILOVER_TIMEOUT = ConfigKey.duration(
            "failover.timeout",
            Duration.ofSeconds(30),
            Duration.ofMillis(100),
            Duration.ofHours(1),
            "How long an endpoint with endpoint.failover may be without a TCP connection before it fails.");

    /** What an endpoint keeps until its peer has read it. */
    public static final ConfigKey<Integer> FAILOVER_REPLAY_BYTES = ConfigKey.bytes(
            "failover.replay-bytes",
            2 << 20,
            256 << 10,
            1 << 30,
            "What an endpoint with endpoint.failover keeps of the bytes that its peer has not read yet.");

    /** How soon an endpoint that has left shared memory or UCX tries to return. */
    public static final ConfigKey<Duration> FAILBACK_DELAY = ConfigKey.duration(
            "failover.failback-delay",
            Duration.ofSeconds(1),
            Duration.ZERO,
            Duration.ofHours(1),
            "How soon a listener's endpoint tries to go back to shared memory or UCX; doubles with each failure; 0: never.");

    /** The maximum number of operations in flight on a worker; a further post returns {@code BACK_PRESSURE}. */
    public static final ConfigKey<Integer> OPERATIONS_MAX =
            ConfigKey.count("worker.operations-max", 16384, 16, 1 << 20, "Operations in flight per worker.");

    /** The maximum number of endpoints of a worker, including connecting ones. */
    public static final ConfigKey<Integer> ENDPOINTS_MAX = ConfigKey.count(
            "endpoints-max", 65535, 1, 65535, "Endpoints of a worker, those that are still connecting included.");

    /**
     * The maximum number of bytes that a peer may send on an endpoint ahead of matching receives; at least twice
     * {@link #EAGER_MAX}.
     */
    public static final ConfigKey<Integer> CREDIT_BYTES = ConfigKey.bytes(
            "endpoint.credit-bytes",
            1 << 20,
            4 << 10,
            1 << 30,
            "What a peer may send on an endpoint ahead of matching receives; at least twice endpoint.eager-max.");

    /** The longest eager message, in bytes; longer ones wait at the sender until a receive matches them. */
    public static final ConfigKey<Integer> EAGER_MAX = ConfigKey.bytes(
            "endpoint.eager-max",
            64 << 10,
            0,
            16 << 20,
            "The longest message that is sent without waiting for its receive.");

    /**
     * The maximum number of bytes that an endpoint queues for its peer; a further post returns {@code BACK_PRESSURE}.
     */
    public static final ConfigKey<Integer> QUEUE_BYTES = ConfigKey.bytes(
            "endpoint.queue-bytes",
            4 << 20,
            4 << 10,
            1 << 30,
            "What an endpoint queues for its peer before it answers BACK_PRESSURE.");

    /** The maximum number of concurrent handshakes of a listener. */
    public static final ConfigKey<Integer> PENDING_MAX =
            ConfigKey.count("listener.pending-max", 128, 1, 65535, "Handshakes that a listener carries on at once.");

    /**
     * The maximum number of connections of one address without a complete hello; above it the listener closes the
     * oldest of them.
     */
    public static final ConfigKey<Integer> PENDING_PER_SOURCE_MAX = ConfigKey.count(
            "listener.pending-per-source-max",
            64,
            1,
            65535,
            "Connections of one address without a whole hello; beyond that its oldest is hung up on.");

    /**
     * The timeout of a listener for the complete hello of a connection; {@link #CONNECT_TIMEOUT} if that is shorter.
     */
    public static final ConfigKey<Duration> HELLO_TIMEOUT = ConfigKey.duration(
            "listener.hello-timeout",
            Duration.ofSeconds(5),
            Duration.ofMillis(10),
            Duration.ofMinutes(10),
            "How long a listener waits for a connection's whole hello; connect.timeout if that is shorter.");

    /** How connections are protected. */
    public static final ConfigKey<SecurityMode> SECURITY_MODE = ConfigKey.choice(
            "security.mode",
            SecurityMode.class,
            SecurityMode.OFF,
            "How connections are protected; off: not at all, which loopback addresses alone allow.");

    /** Whether connections beyond loopback may be unprotected. */
    public static final ConfigKey<Boolean> SECURITY_ALLOW_INSECURE = ConfigKey.flag(
            "security.allow-insecure",
            false,
            "Whether security.mode = off may listen on and connect to addresses that are not loopback ones.");

    /** Whether RDMA between hosts is trusted. */
    public static final ConfigKey<Boolean> SECURITY_TRUSTED_FABRIC = ConfigKey.flag(
            "security.trusted-fabric",
            false,
            "Whether RDMA between hosts, which nothing encrypts, may be chosen with security.mode = encrypted.");

    /** The file with the rules of what peers may do. */
    public static final ConfigKey<String> SECURITY_ACL = ConfigKey.text(
            "security.acl",
            "",
            1024,
            "The file of rules that says which peers may do what, see config/fairlead-acl.conf; empty: all may do all.");

    /** How often the file of rules is checked for changes. */
    public static final ConfigKey<Duration> SECURITY_ACL_INTERVAL = ConfigKey.duration(
            "security.acl-interval",
            Duration.ofSeconds(5),
            Duration.ofMillis(10),
            Duration.ofHours(1),
            "How often the file that security.acl names is looked at for changes.");

    /** Concurrent connections of one address. */
    public static final ConfigKey<Integer> SOURCE_CONNECTIONS_MAX = ConfigKey.count(
            "source.connections-max",
            0,
            0,
            1 << 24,
            "Connections that a context has accepted from one address (of IPv6, one /64 network) at once; 0: any number.");

    /** Handshakes of one address per second. */
    public static final ConfigKey<Integer> SOURCE_HANDSHAKE_RATE = ConfigKey.count(
            "source.handshake-rate",
            0,
            0,
            1 << 20,
            "Handshakes a second that peers of one address (of IPv6, one /64 network) may begin; 0: any number.");

    /** Concurrent connections of one identity. */
    public static final ConfigKey<Integer> IDENTITY_CONNECTIONS_MAX = ConfigKey.count(
            "identity.connections-max",
            0,
            0,
            1 << 24,
            "Connections that a context has accepted of one identity at once; 0: any number.");

    /** Handshakes of one identity per second. */
    public static final ConfigKey<Integer> IDENTITY_HANDSHAKE_RATE = ConfigKey.count(
            "identity.handshake-rate",
            0,
            0,
            1 << 20,
            "Handshakes a second that peers of one identity may make; 0: any number.");

    /** Memory regions that one identity uses concurrently. */
    public static final ConfigKey<Integer> IDENTITY_REGIONS_MAX = ConfigKey.count(
            "identity.regions-max",
            0,
            0,
            1 << 24,
            "Memory regions of a context that peers of one identity may use at once; 0: any number.");

    /** Bytes of memory that one identity may access concurrently. */
    public static final ConfigKey<Long> IDENTITY_REGION_BYTES_MAX = ConfigKey.longBytes(
            "identity.region-bytes-max",
            0,
            0,
            1L << 48,
            "The length of all memory regions of a context that peers of one identity may use at once; 0: any.");

    /** The maximum number of open memory regions of a context. */
    public static final ConfigKey<Integer> REGIONS_MAX =
            ConfigKey.count("regions-max", 65536, 1, 1 << 24, "Memory regions of a context that are open at once.");

    /** One operation out of this many is timed for the latency histograms; 0 for none. */
    public static final ConfigKey<Integer> LATENCY_SAMPLING = ConfigKey.count(
            "metrics.latency-sampling",
            64,
            0,
            1 << 20,
            "Of how many operations one is timed for the latency histograms; 0: none.");

    /** The TCP port on which metrics are served over HTTP; -1 for none, 0 for a free port. */
    public static final ConfigKey<Integer> METRICS_PORT = ConfigKey.count(
            "metrics.port",
            -1,
            -1,
            65535,
            "The port on which commands, and applications that ask for it, serve their metrics over HTTP; -1: none, 0: a free one.");

    /** The local address or name on which metrics are served. */
    public static final ConfigKey<String> METRICS_ADDRESS = ConfigKey.text(
            "metrics.address",
            "127.0.0.1",
            255,
            "The local address or name on which metrics are served; beyond loopback, readers have to show who they are.");

    /** The file with the token of the metrics port. */
    public static final ConfigKey<String> METRICS_TOKEN_FILE = ConfigKey.text(
            "metrics.token-file",
            "",
            4096,
            "The file with the token that a request for metrics has to show (Authorization: Bearer ...); empty: none.");

    /** Whether metrics are served over TLS. */
    public static final ConfigKey<String> METRICS_TLS = ConfigKey.choice(
            "metrics.tls",
            "off",
            List.of("off", "server", "mutual"),
            "Whether metrics are served by TLS with security.certificate; mutual: to clients with a certificate of security.trust.");

    /** How many identities of peers are counted separately. */
    public static final ConfigKey<Integer> METRICS_IDENTITIES_MAX = ConfigKey.count(
            "metrics.identities-max",
            32,
            0,
            4096,
            "How many identities of peers are counted apart, those that connect first; the rest is counted as other.");

    /** The idle strategy of progress loops of nodes and commands, by name. */
    public static final ConfigKey<String> IDLE_STRATEGY = ConfigKey.choice(
            "idle.strategy",
            "backoff",
            List.of("backoff", "busy-spin", "blocking"),
            "What progress loops of nodes and commands do when idle.");

    private static final int TRANSPORTS_MAX = 16;

    private ConfigKeys() {}

    /**
     * All keys of the core, in the order of the reference file.
     *
     * @return immutable
     */
    public static List<ConfigKey<?>> all() {
        return List.of(
                NODE_NAME,
                TRANSPORTS,
                POLICY,
                CONNECT_TIMEOUT,
                CLOSE_TIMEOUT,
                LIVENESS_TIMEOUT,
                STALL_TIMEOUT,
                FAILOVER,
                FAILOVER_TIMEOUT,
                FAILOVER_REPLAY_BYTES,
                FAILBACK_DELAY,
                OPERATIONS_MAX,
                ENDPOINTS_MAX,
                CREDIT_BYTES,
                EAGER_MAX,
                QUEUE_BYTES,
                PENDING_MAX,
                PENDING_PER_SOURCE_MAX,
                HELLO_TIMEOUT,
                SECURITY_MODE,
                SECURITY_ALLOW_INSECURE,
                SECURITY_TRUSTED_FABRIC,
                SECURITY_ACL,
                SECURITY_ACL_INTERVAL,
                SOURCE_CONNECTIONS_MAX,
                SOURCE_HANDSHAKE_RATE,
                IDENTITY_CONNECTIONS_MAX,
                IDENTITY_HANDSHAKE_RATE,
                IDENTITY_REGIONS_MAX,
                IDENTITY_REGION_BYTES_MAX,
                REGIONS_MAX,
                METRICS_PORT,
                METRICS_ADDRESS,
                METRICS_TOKEN_FILE,
                METRICS_TLS,
                METRICS_IDENTITIES_MAX,
                LATENCY_SAMPLING,
                IDLE_STRATEGY);
    }

    /** Parses names separated by commas, and formats them without spaces and duplicates. */
    private static String transportNames(String text) {
        if (text.isBlank()) {
            return "";
        }
        String names = Arrays.stream(text.split(",", -1))
                .map(name -> PathPolicy.named(name.strip()).toString())
                .distinct()
                .collect(Collectors.joining(","));
        if (names.split(",", -1).length > TRANSPORTS_MAX) {
            throw new IllegalArgumentException("more than " + TRANSPORTS_MAX + " transports");
        }
        return names;
    }
}
