package io.fairlead.node.internal.peer;

import io.fairlead.FairleadException;
import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.internal.loop.LoopTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A peer's handlers, and the events that came before them. Thread-safe; handlers run without the lock. */
final class PeerEvents {
    private static final Logger LOG = LoggerFactory.getLogger(PeerEvents.class);
    private static final int EARLY_SIGNALS_MAX = 1024;

    private final NodePeer peer;
    private final Deque<Long> earlySignals = new ArrayDeque<>();
    private final List<Consumer<Optional<FairleadException>>> closedHandlers = new ArrayList<>();
    private @Nullable LongConsumer signalHandler;
    private @Nullable Runnable reconnectHandler;
    private boolean closed;
    private boolean dropped;

    PeerEvents(NodePeer peer) {
        this.peer = peer;
    }

    // From any thread.

    /** Queued among the signals that are on their way, so that the handler gets the early ones first. */
    void onSignal(LongConsumer handler) {
        Objects.requireNonNull(handler, "handler");
        peer.loop()
                .execute(new LoopTask.Action(loop -> loop.deliver(() -> {
                    List<Long> early = replaceSignalHandler(handler);
                    early.forEach(value -> callSignalHandler(handler, value));
                })));
    }

    private void callSignalHandler(LongConsumer handler, long value) {
        try {
            handler.accept(value);
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a handler of signals threw; peer={}", peer);
        }
    }

    private synchronized List<Long> replaceSignalHandler(LongConsumer handler) {
        signalHandler = handler;
        List<Long> early = List.copyOf(earlySignals);
        earlySignals.clear();
        return early;
    }

    synchronized void onReconnect(Runnable handler) {
        reconnectHandler = Objects.requireNonNull(handler, "handler");
    }

    void onClosed(Consumer<Optional<FairleadException>> handler) {
        Objects.requireNonNull(handler, "handler");
        synchronized (this) {
            if (!closed) {
                closedHandlers.add(handler);
                return;
            }
        }
        callClosedHandler(handler);
    }

    // From the loop, or the node's executor.

    void signalled(long value) {
        LongConsumer handler;
        synchronized (this) {
            handler = signalHandler;
            if (handler == null) {
                keep(value);
                return;
            }
        }
        handler.accept(value);
    }

    private void keep(long value) {
        if (earlySignals.size() == EARLY_SIGNALS_MAX) {
            earlySignals.remove();
            if (!dropped) {
                dropped = true;
                LOG.warn(
                        "dropping signals that nobody listens for; peer={}, kept={}, remedy: call onSignal",
                        peer,
                        EARLY_SIGNALS_MAX);
            }
        }
        earlySignals.add(value);
    }

    void reconnected() {
        Runnable handler;
        synchronized (this) {
            handler = reconnectHandler;
        }
        if (handler != null) {
            handler.run();
        }
    }

    void closed() {
        List<Consumer<Optional<FairleadException>>> handlers;
        synchronized (this) {
            closed = true;
            handlers = List.copyOf(closedHandlers);
            closedHandlers.clear();
        }
        handlers.forEach(this::callClosedHandler);
    }

    private void callClosedHandler(Consumer<Optional<FairleadException>> handler) {
        try {
            handler.accept(peer.failure());
        } catch (Throwable thrown) {
            Callbacks.logThrown(LOG, thrown, "a handler of a peer threw; peer={}", peer);
        }
    }
}
