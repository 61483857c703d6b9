package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.EndpointState;
import io.fairlead.config.ConfigKeys;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds back the close of a channel, or of its output, while what was flushed before is being sent: a kernel would have taken it at once.
 * On the loop's thread.
 */
final class Closing {
    private final FairleadSocketChannel channel;
    private final ArrayDeque<ChannelPromise> outputs = new ArrayDeque<>();
    private @Nullable Runnable close;
    private @Nullable Future<?> limit;

    Closing(FairleadSocketChannel channel) {
        this.channel = channel;
    }

    /** What runs the close of the channel when it may be; null if it may be at once. */
    @Nullable Executor prepare() {
        LoopWorker loop = channel.loop();
        Endpoint endpoint = channel.endpoint();
        if (loop == null
                || endpoint == null
                || loop.isShuttingDown()
                || channel.options().getSoLinger() == 0
                || !mustWait(endpoint.state())) {
            return null;
        }
        return task -> {
            close = task;
            // As after a close: nothing of what still arrives is for the pipeline.
            channel.in().close();
            long limitNs = loop.worker()
                    .context()
                    .config()
                    .value(ConfigKeys.CLOSE_TIMEOUT)
                    .toNanos();
            limit = channel.eventLoop().schedule(this::closeNow, limitNs, TimeUnit.NANOSECONDS);
            channel.proceedSoon();
        };
    }

    /** A peer that a server has accepted is connected in its own eyes, and must not find that its connection has failed. */
    private boolean mustWait(EndpointState state) {
        return switch (state) {
            case CONNECTED -> !isSent();
            case CONNECTING -> channel.isAccepted();
            default -> false;
        };
    }

    /** The channel is closed: so is its endpoint, with a goodbye or, if it is not to linger, without one. */
    void endEndpoint(Endpoint endpoint) {
        LoopWorker loop = channel.loop();
        if (loop != null) {
            loop.remove(endpoint);
        }
        if (channel.options().getSoLinger() == 0) {
            endpoint.abort();
        } else {
            endpoint.startClose();
        }
    }

    /** Whether a close is held back. */
    boolean isPending() {
        return close != null;
    }

    /** Whether all has been sent that there is room for. */
    private boolean isSent() {
        return !channel.out().isUnderWay() && !channel.out().hasMore();
    }

    /** Closes the output behind what was flushed before. */
    void closeOutput(ChannelPromise promise, Consumer<ChannelPromise> closer) {
        if (isSent()) {
            closer.accept(promise);
        } else {
            outputs.add(promise);
        }
    }

    /** Goes on with what was held back, if it may be by now. */
    void proceed(Consumer<ChannelPromise> outputCloser) {
        Endpoint endpoint = channel.endpoint();
        if (close != null && endpoint != null) {
            channel.out().pump();
            if (!mustWait(endpoint.state())) {
                closeNow();
            }
        }
        while (!outputs.isEmpty() && (isSent() || !channel.isOpen())) {
            outputCloser.accept(outputs.remove());
        }
    }

    /** Closes without waiting any longer, if a close is held back. */
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
}
