package io.fairlead.netty;

import io.fairlead.netty.FairleadIoHandler.FairleadHandle;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoRegistration;
import org.jspecify.annotations.Nullable;

/** A channel's place on its event loop: the registration, the worker of the loop, and the turns in which the channel proceeds. On the loop's thread. */
final class LoopPlace {
    private final LoopWorker.Ready turn;
    private @Nullable IoRegistration registration;
    /** Kept after the registration ends: what the channel has there stays there. */
    private @Nullable LoopWorker loop;
    /** The loop will have the channel proceed. */
    private boolean queued;

    /** A place on no loop yet; the task is what the channel does in a turn. */
    LoopPlace(Runnable task) {
        this.turn = () -> {
            queued = false;
            task.run();
        };
    }

    /** The worker of the loop; null before the first registration. */
    @Nullable LoopWorker loop() {
        return loop;
    }

    /** Registers the channel with its event loop, and then runs a task; what that throws fails the registration. */
    void register(Channel channel, FairleadHandle handle, Runnable then, ChannelPromise promise) {
        Registrations.register(
                channel,
                handle,
                (made, current) -> {
                    if (loop != null && loop != current) {
                        throw new IllegalStateException("channel belongs to the worker of another event loop: channel="
                                + channel + "; register it with the loop that it was registered with first");
                    }
                    registration = made;
                    loop = current;
                    then.run();
                },
                promise);
    }

    void deregister() {
        IoRegistration current = registration;
        if (current != null) {
            registration = null;
            current.cancel();
        }
    }

    /** Has the loop give the channel a turn after the worker's progress. */
    void proceedSoon() {
        LoopWorker current = loop;
        if (!queued && current != null) {
            queued = true;
            current.ready(turn);
        }
    }
}
