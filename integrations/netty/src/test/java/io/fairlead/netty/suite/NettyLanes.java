package io.fairlead.netty.suite;

import io.fairlead.Context;
import io.fairlead.FairleadException;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** Event loops over the lanes of the suites, for other suites. */
public final class NettyLanes {
    private NettyLanes() {}

    /** Whether a lane can be used here. */
    public static boolean isUsable(String lane) {
        try (Context context = Context.open(NettyLane.config(lane))) {
            String transport = NettyLane.transport(lane);
            return context.transports().stream().anyMatch(info -> info.name().equals(transport) && info.available());
        } catch (FairleadException missing) {
            return false;
        }
    }

    /** Event loops of a lane, to be ended by the caller. */
    public static EventLoopGroup group(String lane, int threads) {
        return NettyLane.group(lane, threads, new DefaultThreadFactory("suite-" + lane));
    }

    /** How often channels of the last lane {@code -switched} have left their lanes for TCP. */
    public static long switches() {
        return NettyLane.switches();
    }

    /** Ends event loops, and waits for that. */
    public static void end(EventLoopGroup group) {
        if (!group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(60, TimeUnit.SECONDS)) {
            throw new AssertionError("event loops have not ended within 60 s");
        }
    }
}
