package io.fairlead.netty;

import io.fairlead.netty.FairleadIoHandler.FairleadHandle;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.util.internal.StringUtil;
import org.jspecify.annotations.Nullable;

/** A channel's registration with its event loop, and the turns in which the loop lets the channel proceed. On the loop's thread. */
final class LoopRegistration {
    private final LoopWorker.Ready turn;
    private @Nullable IoRegistration registration;
    /** Kept after the registration ends, because the channel's endpoint stays on this worker. */
    private @Nullable LoopWorker loop;
    /** The loop has queued the channel's turn. */
    private boolean queued;

    /** Belongs to no loop yet; the loop runs the task in each turn of the channel. */
    LoopRegistration(Runnable task) {
        this.turn = () -> {
            queued = false;
            task.run();
        };
    }

    /** The worker of the loop; null before the first registration. */
    @Nullable LoopWorker loop() {
        return loop;
    }

    /** Registers the channel with its event loop, and then runs a task; an exception of the task fails the registration. */
    void register(Channel channel, FairleadHandle handle, Runnable then, ChannelPromise promise) {
        EventLoop eventLoop = channel.eventLoop();
        if (!(eventLoop instanceof IoEventLoop ioLoop) || !ioLoop.isCompatible(handle.getClass())) {
            promise.setFailure(
                    new IllegalStateException(
                            "event loop of another transport: channel=" + StringUtil.simpleClassName(channel)
                                    + ", eventLoop="
                                    + StringUtil.simpleClassName(eventLoop)
                                    + "; make the group by new MultiThreadIoEventLoopGroup(FairleadIoHandler.newFactory(context))"));
            return;
        }
        ioLoop.register(handle).addListener(future -> {
            if (!future.isSuccess()) {
                promise.setFailure(future.cause());
                return;
            }
            IoRegistration made = (IoRegistration) future.getNow();
            try {
                use(channel, made);
                then.run();
            } catch (Throwable thrown) {
                made.cancel();
                promise.setFailure(thrown);
                return;
            }
            promise.setSuccess();
        });
    }

    private void use(Channel channel, IoRegistration made) {
        LoopWorker current = made.attachment();
        if (loop != null && loop != current) {
            throw new IllegalStateException("channel belongs to the worker of another event loop: channel=" + channel
                    + "; register it with the loop that it was registered with first");
        }
        registration = made;
        loop = current;
    }

    void deregister() {
        IoRegistration current = registration;
        if (current != null) {
            registration = null;
            current.cancel();
        }
    }

    /** Queues a turn of the channel, which the loop runs after the worker's progress. */
    void proceedSoon() {
        LoopWorker current = loop;
        if (!queued && current != null) {
            queued = true;
            current.ready(turn);
        }
    }
}
