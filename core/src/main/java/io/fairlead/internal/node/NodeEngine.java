package io.fairlead.internal.node;

import io.fairlead.ConfigKeys;
import io.fairlead.FairleadConfig;
import io.fairlead.Node;
import java.util.concurrent.Executor;

/** The engine behind {@link Node}. */
public final class NodeEngine {
    private NodeEngine() {}

    /**
     * Starts a node.
     *
     * @param config its configuration
     * @return the node
     */
    public static Node start(FairleadConfig config) {
        return start(config, Runnable::run);
    }

    /**
     * Starts a node.
     *
     * @param config its configuration
     * @param executor where futures complete and handlers run
     * @return the node
     */
    public static Node start(FairleadConfig config, Executor executor) {
        throw new UnsupportedOperationException(
                "the engine is being written: " + config.value(ConfigKeys.NODE_NAME) + executor);
    }
}
