package io.fairlead.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import java.nio.channels.NotYetConnectedException;
import java.util.function.Consumer;

/** The two directions of a channel, each of which may end by itself. What asks may be called from any thread. */
final class Directions {
    private final FairleadSocketChannel channel;
    private final Consumer<ChannelPromise> outputCloser;
    private volatile boolean inputEnded;
    private volatile boolean outputEnded;

    /** Both are open; the closer ends the output behind what was flushed before. */
    Directions(FairleadSocketChannel channel, Consumer<ChannelPromise> outputCloser) {
        this.channel = channel;
        this.outputCloser = outputCloser;
    }

    boolean isInputEnded() {
        return inputEnded;
    }

    boolean isOutputEnded() {
        return outputEnded;
    }

    /** From now on what arrives is discarded. On the loop's thread. */
    void endInput() {
        inputEnded = true;
        channel.in().shutdown();
    }

    /** From now on nothing is sent but what has been posted. On the loop's thread. */
    void endOutput() {
        checkConnected();
        outputEnded = true;
        channel.out().end();
    }

    ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(() -> {
            try {
                checkConnected();
                endInput();
                promise.setSuccess();
            } catch (NotYetConnectedException notYet) {
                promise.setFailure(notYet);
            }
        });
        return promise;
    }

    ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(() -> outputCloser.accept(promise));
        return promise;
    }

    /** The output, and then the input. */
    ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput(channel.newPromise())
                .addListener(output -> shutdownInput(channel.newPromise()).addListener(input -> {
                    Throwable cause = output.cause() == null ? input.cause() : output.cause();
                    if (cause == null) {
                        promise.setSuccess();
                    } else {
                        promise.setFailure(cause);
                    }
                }));
        return promise;
    }

    private void checkConnected() {
        if (channel.isOpen() && !channel.isActive()) {
            throw new NotYetConnectedException();
        }
    }

    private void onLoop(Runnable task) {
        EventLoop current = channel.eventLoop();
        if (current.inEventLoop()) {
            task.run();
        } else {
            current.execute(task);
        }
    }
}
