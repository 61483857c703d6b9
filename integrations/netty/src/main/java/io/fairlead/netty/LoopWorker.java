package io.fairlead.netty;

import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker of one event loop, and the turns of the channels on it. On the loop's thread.
 *
 * <p>Completions and handlers run inside progress and only record what has happened. Channels act after the worker's progress. A post of a pipeline is
 * therefore never nested in progress, and its operation can complete inside the post.
 */
final class LoopWorker {
    private static final Logger LOG = LoggerFactory.getLogger(LoopWorker.class);

    /** How many staging buffers are kept for later messages. */
    private static final int STAGINGS_MAX = 16;

    /** Work of a channel that runs after the progress in which it was queued. */
    interface Ready {
        /** Does the work, for no longer than other channels can wait. */
        void proceed();
    }

    private final Worker worker;
    private final Streams streams = new Streams();
    private final int messageBytesMax;

    private final ArrayDeque<Staging> stagings = new ArrayDeque<>();
    private final ArrayDeque<Ready> ready = new ArrayDeque<>();
    private List<Ready> blocked = new ArrayList<>();
    private List<Ready> unblocked = new ArrayList<>();
    private boolean shuttingDown;

    LoopWorker(Worker worker) {
        this.worker = worker;
        worker.register(Streams.HANDLER, streams);
        int eagerMax = worker.context().config().value(ConfigKeys.EAGER_MAX);
        this.messageBytesMax = Math.max(4 << 10, Math.min(eagerMax, 1 << 20));
    }

    /** The longest message that channels send, in bytes: the peer takes it as an eager message. */
    int messageBytesMax() {
        return messageBytesMax;
    }

    /** Takes empty memory for the copies of one message; the caller gives it back. */
    Staging takeStaging() {
        return stagings.isEmpty() ? new Staging() : stagings.pop();
    }

    void giveBack(Staging staging) {
        if (stagings.size() < STAGINGS_MAX) {
            stagings.push(staging);
        }
    }

    Worker worker() {
        return worker;
    }

    Streams streams() {
        return streams;
    }

    /** Makes progress and runs the turns of the channels; returns the number of events and turns. */
    int turn() {
        int events = worker.progress();
        if (!blocked.isEmpty()) {
            retryBlocked();
        }
        int count = ready.size();
        for (int i = 0; i < count; i++) {
            proceed(ready.remove());
        }
        return events + count;
    }

    /** Runs the blocked channels, because only progress frees capacity. A channel that still finds none is back in the list afterwards. */
    private void retryBlocked() {
        List<Ready> tried = blocked;
        blocked = unblocked;
        unblocked = tried;
        for (int i = 0; i < tried.size(); i++) {
            proceed(tried.get(i));
        }
        tried.clear();
    }

    /** An exception of one channel must not end the event loop of all. */
    private static void proceed(Ready channel) {
        try {
            channel.proceed();
        } catch (Throwable thrown) {
            LOG.error("a channel failed in its turn: {}", channel, thrown);
        }
    }

    /** Whether turns of channels are queued, so that the loop must not block. */
    boolean hasWork() {
        return !ready.isEmpty();
    }

    /** Whether channels wait for capacity. */
    boolean hasBlocked() {
        return !blocked.isEmpty();
    }

    /** Queues a channel's turn after the next progress, or at the end of this one. The caller must not queue it twice. */
    void ready(Ready channel) {
        ready.add(channel);
    }

    /** Retries a channel that found no capacity, after the next progress. The caller must not queue it twice. */
    void block(Ready channel) {
        blocked.add(channel);
    }

    /** From now on channels close without waiting for their sends. */
    void beginShutdown() {
        shuttingDown = true;
    }

    boolean isShuttingDown() {
        return shuttingDown;
    }

    /** Disconnects from all peers and closes the worker. */
    void close() {
        CloseSteps.runAll(worker::close, this::proceedRest);
    }

    private void proceedRest() {
        for (Ready channel = ready.poll(); channel != null; channel = ready.poll()) {
            proceed(channel);
        }
    }
}
