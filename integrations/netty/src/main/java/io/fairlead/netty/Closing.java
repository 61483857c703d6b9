package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.config.ConfigKeys;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Ends a channel, or one of its two directions. The end of the channel or of its output waits until the bytes flushed before are sent, because a kernel would
 * have taken them at once. On the loop's thread, except for {@link #isOutputEnded()} and the methods that return a future.
 */
final class Closing {
    private final ChannelState state;
    private final SocketChannel channel;
    private final StreamIn in;
    private final StreamOut out;
    private final Consumer<ChannelPromise> outputCloser;
    /** Promises of output shutdowns that wait. */
    private final ArrayDeque<ChannelPromise> outputs = new ArrayDeque<>();
    /** The close of the channel that waits; null if none does. */
    private @Nullable Runnable close;

    private @Nullable Future<?> limit;
    private volatile boolean outputEnded;

    /** The closer shuts the output down at once; it calls {@link #endOutput()} in the end. */
    Closing(ChannelState state, StreamIn in, StreamOut out, Consumer<ChannelPromise> outputCloser) {
        this.state = state;
        this.channel = state.channel();
        this.in = in;
        this.out = out;
        this.outputCloser = outputCloser;
    }

    // The channel.

    /** Returns what runs the close of the channel once the sends have completed; null if it can run at once. */
    @Nullable Executor prepare() {
        LoopWorker loop = state.loop();
        Endpoint endpoint = state.endpoint();
        if (loop == null
                || endpoint == null
                || loop.isShuttingDown()
                || state.options().getSoLinger() == 0
                || !mustWait(endpoint.state())) {
            return null;
        }
        return task -> {
            close = task;
            // As after a close: the pipeline receives nothing more.
            in.close();
            long limitNs = loop.worker()
                    .context()
                    .config()
                    .value(ConfigKeys.CLOSE_TIMEOUT)
                    .toNanos();
            limit = channel.eventLoop().schedule(this::closeNow, limitNs, TimeUnit.NANOSECONDS);
            state.proceedSoon();
        };
    }

    /** An accepted peer already regards itself as connected, and must not find that its connection has failed. */
    private boolean mustWait(EndpointState endpoint) {
        return switch (endpoint) {
            case CONNECTED -> !isSent();
            case CONNECTING -> state.accepted() != null;
            default -> false;
        };
    }

    /** The channel is closed: closes its endpoint with a disconnect, or aborts it if {@code SO_LINGER} is 0. */
    void endEndpoint(Endpoint endpoint) {
        LoopWorker loop = state.loop();
        if (loop != null) {
            loop.streams().remove(endpoint);
        }
        if (state.options().getSoLinger() == 0) {
            endpoint.abort();
        } else {
            endpoint.startClose();
        }
    }

    /** Whether a close waits. */
    boolean isPending() {
        return close != null;
    }

    /** Whether everything is sent for which the endpoint has capacity. */
    private boolean isSent() {
        return !out.isUnderWay() && !out.hasMore();
    }

    /** Continues the close and the output shutdowns that wait, if they need not wait any longer. */
    void proceed() {
        Endpoint endpoint = state.endpoint();
        if (close != null && endpoint != null) {
            out.pump();
            if (!mustWait(endpoint.state())) {
                closeNow();
            }
        }
        while (!outputs.isEmpty() && (isSent() || !channel.isOpen())) {
            outputCloser.accept(outputs.remove());
        }
    }

    /** Runs the close that waits, if there is one. */
    void closeNow() {
        Runnable task = close;
        if (task != null) {
            close = null;
            Future<?> timer = limit;
            if (timer != null) {
                timer.cancel(false);
            }
            task.run();
        }
    }

    // Its directions.

    boolean isOutputEnded() {
        return outputEnded;
    }

    /** Sends the end of the stream; later writes fail. */
    void endOutput() {
        checkConnected();
        outputEnded = true;
        out.end();
    }

    ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(() -> {
            try {
                checkConnected();
                in.shutdown();
                promise.setSuccess();
            } catch (NotYetConnectedException notYet) {
                promise.setFailure(notYet);
            }
        });
        return promise;
    }

    /** Shuts the output down after the bytes flushed before. */
    ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(() -> {
            if (isSent()) {
                outputCloser.accept(promise);
            } else {
                outputs.add(promise);
            }
        });
        return promise;
    }

    /** Shuts the output down, and then the input. */
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
