package io.fairlead.spring;

import io.fairlead.netty.FairleadIoHandler;
import io.fairlead.node.Node;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.concurrent.TimeUnit;

/**
 * Netty's event loops on the node's context, for gRPC's server and for channels of clients that an application makes. Thread-safe. The application context
 * closes them, before the node.
 */
public final class FairleadEventLoops implements AutoCloseable {
    private static final long CLOSE_LIMIT_S = 30;

    private final EventLoopGroup group;

    FairleadEventLoops(Node node, int threads) {
        group = new MultiThreadIoEventLoopGroup(threads, FairleadIoHandler.newFactory(node.context()));
    }

    /**
     * The loops.
     *
     * @return not to be shut down by whoever uses them
     */
    public EventLoopGroup group() {
        return group;
    }

    /** Ends the loops with their channels, and waits for that. */
    @Override
    public void close() {
        group.shutdownGracefully(0, CLOSE_LIMIT_S, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_LIMIT_S, TimeUnit.SECONDS);
        group.terminationFuture().awaitUninterruptibly(CLOSE_LIMIT_S, TimeUnit.SECONDS);
    }
}
