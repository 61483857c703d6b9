package io.fairlead.node.internal;

import io.fairlead.FairleadConfig;
import io.fairlead.PathPolicy;
import io.fairlead.config.ConfigKeys;
import io.fairlead.node.BackPressure;
import io.fairlead.node.NodeKeys;

/**
 * What a node takes from its configuration.
 *
 * @param name the node's name, or empty
 * @param threads progress threads
 * @param policy paths of connections that name no policy
 * @param queueMax operations of a peer that wait to be posted
 * @param receivesMax receives that wait for a message, per node
 * @param backPressure what happens beyond those
 * @param waitNs how long a call may block for room
 * @param messageMax bytes of a received message where the call names no limit
 * @param closeNs how long a graceful close may take
 * @param spins idle turns that spin
 * @param yields idle turns that yield after those, {@link Integer#MAX_VALUE} for a loop that never blocks
 */
record NodeSettings(
        String name,
        int threads,
        PathPolicy policy,
        int queueMax,
        int receivesMax,
        BackPressure backPressure,
        long waitNs,
        long messageMax,
        long closeNs,
        int spins,
        int yields) {
    /** As many as {@link io.fairlead.IdleStrategy#backOff()}. */
    private static final int TURNS_BEFORE_BLOCKING = 64;

    static NodeSettings of(FairleadConfig config) {
        int turns = switch (config.value(ConfigKeys.IDLE_STRATEGY)) {
            case "busy-spin" -> Integer.MAX_VALUE;
            case "blocking" -> 0;
            default -> TURNS_BEFORE_BLOCKING;
        };
        return new NodeSettings(
                config.value(ConfigKeys.NODE_NAME),
                config.value(NodeKeys.THREADS),
                config.value(ConfigKeys.POLICY),
                config.value(NodeKeys.QUEUE_MAX),
                config.value(ConfigKeys.OPERATIONS_MAX),
                config.value(NodeKeys.BACK_PRESSURE),
                config.value(NodeKeys.WAIT_TIMEOUT).toNanos(),
                config.value(NodeKeys.MESSAGE_MAX),
                config.value(ConfigKeys.CLOSE_TIMEOUT).toNanos(),
                turns,
                turns);
    }
}
