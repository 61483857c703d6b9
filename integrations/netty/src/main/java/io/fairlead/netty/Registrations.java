package io.fairlead.netty;

import io.fairlead.netty.FairleadIoHandler.FairleadHandle;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.util.internal.StringUtil;

/** Registers channels with their event loops, and says what is wrong where that cannot be. */
final class Registrations {
    private Registrations() {}

    /** Is told on the loop's thread that a channel is registered. */
    interface Registered {
        /** Takes the loop into use; what it throws fails the registration. */
        void registered(IoRegistration registration, LoopWorker loop);
    }

    static void register(Channel channel, FairleadHandle handle, Registered registered, ChannelPromise promise) {
        EventLoop eventLoop = channel.eventLoop();
        if (!(eventLoop instanceof IoEventLoop loop) || !loop.isCompatible(handle.getClass())) {
            promise.setFailure(
                    new IllegalStateException(
                            "event loop of another transport: channel=" + StringUtil.simpleClassName(channel)
                                    + ", eventLoop="
                                    + StringUtil.simpleClassName(eventLoop)
                                    + "; make the group by new MultiThreadIoEventLoopGroup(FairleadIoHandler.newFactory(context))"));
            return;
        }
        loop.register(handle).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            IoRegistration made = (IoRegistration) future.getNow();
            try {
                registered.registered(made, made.<LoopWorker>attachment());
            } catch (Throwable thrown) {
                made.cancel();
                promise.setFailure(thrown);
                return;
            }
            promise.setSuccess();
        });
    }
}
