package io.fairlead.node.internal.loop;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.NodeKeys;
import java.time.Duration;

/**
 * What a node takes from its configuration.
 *
 * @param name the node's name, or empty
 * @param threads progress threads
 * @param policy paths of connections that name no policy
 * @param queueMax operations of a peer that wait to be posted
 * @param queueBytes bytes of copied messages that wait to be sent, per node
 * @param receivesMax receives that wait for a message, per node
 * @param backPressure what happens beyond those
 * @param waitNs how long a call may block for capacity
 * @param messageMax bytes of a received message where the call names no limit
 * @param requestsMax requests of a peer that are not answered
 * @param closeNs how long a graceful close may take
 * @param idle how a progress thread spends its idle turns
 * @param discovery how services are found by name
 */
public record NodeSettings(
        String name,
        int threads,
        PathPolicy policy,
        int queueMax,
        long queueBytes,
        int receivesMax,
        BackPressure backPressure,
        long waitNs,
        long messageMax,
        int requestsMax,
        long closeNs,
        Idle idle,
        Discovery discovery) {
    /**
     * How services are found by name.
     *
     * @param timeout how long a query of a registry may take
     * @param refreshMin the shortest pause between two
     * @param lease how long a registry keeps the entry of a process that has died
     */
    public record Discovery(Duration timeout, Duration refreshMin, Duration lease) {}

    /** How a loop without work goes on. */
    enum Idle {
        SPIN,
        BACK_OFF,
        BLOCK;

        /** A count of idle turns for one loop. */
        IdleTurns turns() {
            return switch (this) {
                case SPIN -> new IdleTurns(Integer.MAX_VALUE, Long.MAX_VALUE, 0, 0);
                case BACK_OFF -> new IdleTurns(SPINS, COSTLY_TURN_NS, YIELDS, YIELDING_NS);
                case BLOCK -> new IdleTurns(0, 0, 0, 0);
            };
        }
    }

    private static final int SPINS = 16;
    private static final long COSTLY_TURN_NS = 150;
    /** About as long as a fast reply takes. */
    private static final int YIELDS = 127;
    /** Twice as long as those yields take on an otherwise idle processor. */
    private static final long YIELDING_NS = 100_000;

    public static NodeSettings of(FairleadConfig config) {
        Idle idle = switch (config.value(ConfigKeys.IDLE_STRATEGY)) {
            case "busy-spin" -> Idle.SPIN;
            case "blocking" -> Idle.BLOCK;
            default -> Idle.BACK_OFF;
        };
        return new NodeSettings(
                config.value(ConfigKeys.NODE_NAME),
                config.value(NodeKeys.THREADS),
                config.value(ConfigKeys.POLICY),
                config.value(NodeKeys.QUEUE_MAX),
                config.value(NodeKeys.QUEUE_BYTES),
                config.value(ConfigKeys.OPERATIONS_MAX),
                config.value(NodeKeys.BACK_PRESSURE),
                config.value(NodeKeys.WAIT_TIMEOUT).toNanos(),
                config.value(NodeKeys.MESSAGE_MAX),
                config.value(NodeKeys.REQUESTS_MAX),
                config.value(ConfigKeys.CLOSE_TIMEOUT).toNanos(),
                idle,
                new Discovery(
                        config.value(NodeKeys.DISCOVERY_TIMEOUT),
                        config.value(NodeKeys.DISCOVERY_REFRESH_MIN),
                        config.value(NodeKeys.DISCOVERY_LEASE)));
    }
}
