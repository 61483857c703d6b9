package io.fairlead.netty;

import io.fairlead.Endpoint;
import io.fairlead.Worker;
import io.fairlead.config.ConfigKeys;
import io.fairlead.spi.CloseSteps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker of one event loop, and the channels on it. On the loop's thread. Completions and handlers only note what has happened; channels are
 * told after the worker's progress, so that what a pipeline posts is posted outside of it and may end inside its post.
 */
final class LoopWorker {
    private static final Logger LOG = LoggerFactory.getLogger(LoopWorker.class);

    /** So many are kept for messages to come. */
    private static final int STAGINGS_MAX = 16;

    /** What has something to do after the progress in which it was told. */
    interface Ready {
        /** Does it, for no longer than other channels can wait. */
        void proceed();
    }

    private final Worker worker;
    private final PostedReads reads;
    private final int messageBytesMax;
    /** By the number of the endpoint. */
    private @Nullable FairleadSocketChannel[] channels = new @Nullable FairleadSocketChannel[64];

    private final ArrayDeque<Staging> stagings = new ArrayDeque<>();
    private final ArrayDeque<Ready> ready = new ArrayDeque<>();
    private List<Ready> blocked = new ArrayList<>();
    private List<Ready> unblocked = new ArrayList<>();
    private boolean shuttingDown;

    LoopWorker(Worker worker) {
        this.worker = worker;
        this.reads = new PostedReads(this, worker.context().config().value(ConfigKeys.OPERATIONS_MAX));
        int eagerMax = worker.context().config().value(ConfigKeys.EAGER_MAX);
        this.messageBytesMax = Math.max(4 << 10, Math.min(eagerMax, 1 << 20));
    }

    /** The longest message that channels send: one that the peer takes without having asked for it. */
    int messageBytesMax() {
        return messageBytesMax;
    }

    /** Empty memory for the copies of one message, to be given back. */
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

    PostedReads reads() {
        return reads;
    }

    /** Makes progress, and has the channels do what came of it; how much there was. */
    int turn() {
        reads.replenish();
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

    /** Those that found no room find it only after a progress; whoever still finds none is back in the list then. */
    private void retryBlocked() {
        List<Ready> tried = blocked;
        blocked = unblocked;
        unblocked = tried;
        for (int i = 0; i < tried.size(); i++) {
            proceed(tried.get(i));
        }
        tried.clear();
    }

    /** One channel's mistake is not to end the event loop of all. */
    private static void proceed(Ready channel) {
        try {
            channel.proceed();
        } catch (Throwable thrown) {
            LOG.error("a channel failed in its turn: {}", channel, thrown);
        }
    }

    /** Whether channels wait for their turn, so that the loop must not wait. */
    boolean hasWork() {
        return !ready.isEmpty();
    }

    /** Whether channels wait for room. */
    boolean hasBlocked() {
        return !blocked.isEmpty();
    }

    /** A channel proceeds after the next progress, or at the end of this one. It asks once. */
    void ready(Ready channel) {
        ready.add(channel);
    }

    /** A channel found no room, and tries again after each progress. It asks once. */
    void block(Ready channel) {
        blocked.add(channel);
    }

    /** From now on the messages of an endpoint are a channel's. */
    void add(Endpoint endpoint, FairleadSocketChannel channel) {
        int id = endpoint.id();
        if (id >= channels.length) {
            channels = Arrays.copyOf(channels, Math.max(id + 1, 2 * channels.length));
        }
        channels[id] = channel;
    }

    /** The endpoint has ended, and what is left of its messages nobody has asked for. */
    void remove(Endpoint endpoint) {
        if (channel(endpoint) != null) {
            channels[endpoint.id()] = null;
        }
    }

    /** The channel of an endpoint; null where it has none any more. */
    @Nullable FairleadSocketChannel channel(Endpoint endpoint) {
        int id = endpoint.id();
        FairleadSocketChannel channel = id < channels.length ? channels[id] : null;
        // Numbers of endpoints are used again.
        return channel != null && channel.isOf(endpoint) ? channel : null;
    }

    /** From now on channels close without waiting for what they still send. */
    void beginShutdown() {
        shuttingDown = true;
    }

    boolean isShuttingDown() {
        return shuttingDown;
    }

    /** Says goodbye to all peers and ends. */
    void close() {
        CloseSteps.runAll(reads::end, worker::close, this::proceedRest);
    }

    private void proceedRest() {
        for (Ready channel = ready.poll(); channel != null; channel = ready.poll()) {
            proceed(channel);
        }
    }
}
