package io.fairlead.internal.node;

import io.fairlead.BackPressure;
import io.fairlead.ConfigKeys;
import io.fairlead.FairleadConfig;
import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.PathPolicy;

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
    /** More threads than any machine has cores for. */
    private static final int THREADS_MAX = 1024;

    /** Leaves the count of permits room for those that wake every waiting caller. */
    private static final int QUEUE_MAX = 1 << 29;

    /** As many as {@link io.fairlead.IdleStrategy#backOff()}. */
    private static final int TURNS_BEFORE_BLOCKING = 64;

    static NodeSettings of(FairleadConfig config) {
        int threads = config.value(ConfigKeys.NODE_THREADS);
        if (threads > THREADS_MAX) {
            throw new FairleadException(
                    Reason.CONFIGURATION,
                    "too many progress threads: " + ConfigKeys.NODE_THREADS.name() + "=" + threads + ", at most "
                            + THREADS_MAX);
        }
        String idle = config.value(ConfigKeys.IDLE_STRATEGY);
        int turns = switch (idle) {
            case "backoff" -> TURNS_BEFORE_BLOCKING;
            case "busy-spin" -> Integer.MAX_VALUE;
            case "blocking" -> 0;
            default ->
                throw new FairleadException(
                        Reason.CONFIGURATION,
                        "unknown idle strategy: " + ConfigKeys.IDLE_STRATEGY.name() + "=" + idle
                                + ", one of backoff, busy-spin, blocking");
        };
        return new NodeSettings(
                config.value(ConfigKeys.NODE_NAME),
                threads,
                config.value(ConfigKeys.POLICY),
                Math.min(config.value(ConfigKeys.NODE_QUEUE_MAX), QUEUE_MAX),
                config.value(ConfigKeys.OPERATIONS_MAX),
                config.value(ConfigKeys.NODE_BACK_PRESSURE),
                config.value(ConfigKeys.NODE_WAIT_TIMEOUT).toNanos(),
                config.value(ConfigKeys.NODE_MESSAGE_MAX),
                config.value(ConfigKeys.CLOSE_TIMEOUT).toNanos(),
                turns,
                turns);
    }
}
