package io.fairlead.internal.config;

import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import java.time.Duration;

/** The configuration as plain numbers for the engine, read once. */
public record Settings(
        String name,
        PathPolicy policy,
        long connectNs,
        long closeNs,
        long livenessNs,
        long stallNs,
        int operationsMax,
        int endpointsMax,
        int creditBytes,
        int eagerMax,
        long helloNs,
        int pendingMax,
        int pendingPerSourceMax,
        int latencySampling,
        boolean failover,
        long failoverNs,
        int replayBytes,
        long failbackNs) {

    public static Settings of(FairleadConfig config) {
        int creditBytes = config.value(ConfigKeys.CREDIT_BYTES);
        int eagerMax = config.value(ConfigKeys.EAGER_MAX);
        if (creditBytes < 2L * eagerMax) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "endpoint.credit-bytes is too small for endpoint.eager-max: credit-bytes=" + creditBytes
                            + ", eager-max="
                            + eagerMax + ", needed at least " + 2L * eagerMax
                            + " bytes; raise the one or lower the other");
        }
        return new Settings(
                NodeName.of(config),
                config.value(ConfigKeys.POLICY),
                config.value(ConfigKeys.CONNECT_TIMEOUT).toNanos(),
                config.value(ConfigKeys.CLOSE_TIMEOUT).toNanos(),
                config.value(ConfigKeys.LIVENESS_TIMEOUT).toNanos(),
                stallNs(config),
                config.value(ConfigKeys.OPERATIONS_MAX),
                config.value(ConfigKeys.ENDPOINTS_MAX),
                creditBytes,
                eagerMax,
                // The whole handshake has this timeout, so the hello has no longer one.
                Math.min(
                        config.value(ConfigKeys.HELLO_TIMEOUT).toNanos(),
                        config.value(ConfigKeys.CONNECT_TIMEOUT).toNanos()),
                config.value(ConfigKeys.PENDING_MAX),
                config.value(ConfigKeys.PENDING_PER_SOURCE_MAX),
                config.value(ConfigKeys.LATENCY_SAMPLING),
                config.value(ConfigKeys.FAILOVER).equals("on"),
                config.value(ConfigKeys.FAILOVER_TIMEOUT).toNanos(),
                config.value(ConfigKeys.FAILOVER_REPLAY_BYTES),
                config.value(ConfigKeys.FAILBACK_DELAY).toNanos());
    }

    /** The stall timeout of a peer. A {@code liveness.timeout} above this key's default raises it too. */
    public static long stallNs(FairleadConfig config) {
        Duration liveness = config.value(ConfigKeys.LIVENESS_TIMEOUT);
        Duration stall = config.value(ConfigKeys.STALL_TIMEOUT);
        if (stall.compareTo(liveness) >= 0) {
            return stall.toNanos();
        }
        if (!config.origin(ConfigKeys.STALL_TIMEOUT).equals("default")) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "stall.timeout is shorter than liveness.timeout: stall.timeout=" + stall.toMillis()
                            + " ms, liveness.timeout=" + liveness.toMillis()
                            + " ms; raise the one or lower the other");
        }
        return liveness.toNanos();
    }
}
