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
 * @param requestsMax requests of a peer that are not answered
 * @param closeNs how long a graceful close may take
 * @param spins idle turns that spin, {@link Integer#MAX_VALUE} for a loop that never blocks
 * @param yields idle turns that yield after those
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
        int requestsMax,
        long closeNs,
        int spins,
        int yields) {
    /** Hardly any: a thread that has waited for a reply, and was just woken, may have no other processor than this loop's. */
    private static final int SPINS = 1;
    /** About as long as a reply takes that comes at all soon. */
    private static final int YIELDS = 127;

    static NodeSettings of(FairleadConfig config) {
        String idle = config.value(ConfigKeys.IDLE_STRATEGY);
        boolean blocks = idle.equals("blocking");
        int spins = idle.equals("busy-spin") ? Integer.MAX_VALUE : blocks ? 0 : SPINS;
        int yields = blocks ? 0 : YIELDS;
        return new NodeSettings(
                config.value(ConfigKeys.NODE_NAME),
                config.value(NodeKeys.THREADS),
                config.value(ConfigKeys.POLICY),
                config.value(NodeKeys.QUEUE_MAX),
                config.value(ConfigKeys.OPERATIONS_MAX),
                config.value(NodeKeys.BACK_PRESSURE),
                config.value(NodeKeys.WAIT_TIMEOUT).toNanos(),
                config.value(NodeKeys.MESSAGE_MAX),
                config.value(NodeKeys.REQUESTS_MAX),
                config.value(ConfigKeys.CLOSE_TIMEOUT).toNanos(),
                spins,
                yields);
    }
}
