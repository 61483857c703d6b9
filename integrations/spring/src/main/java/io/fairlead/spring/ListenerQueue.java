package io.fairlead.spring;

import io.fairlead.FairleadException;
import io.fairlead.Status;
import io.fairlead.observation.MessageContext;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.NodeSubscriber;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries messages from a progress thread, which must not block, to the threads of a listener, which may; pauses the subscriber while it is full. */
final class ListenerQueue implements MessageHandler {
    private static final Logger LOG = LoggerFactory.getLogger(FairleadListenerContainer.class);
    /** Ends a thread. Messages have sequence numbers from 1 on. */
    private static final TopicMessage END =
            new TopicMessage("", 0, MemorySegment.ofArray(new byte[0]), MessageContext.EMPTY);

    private static final long INTERRUPTED_MS = 1000;
    private static final long RETRY_NS = 1_000_000;

    private final String listener;
    private final ListenerSettings settings;
    private final NodeSubscriber subscriber;
    private final Consumer<TopicMessage> handler;
    private final BlockingQueue<TopicMessage> messages;
    private final AtomicBoolean paused = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopping;

    ListenerQueue(
            String listener, ListenerSettings settings, NodeSubscriber subscriber, Consumer<TopicMessage> handler) {
        this(listener, settings, subscriber, handler, new LinkedBlockingQueue<>());
    }

    ListenerQueue(
            String listener,
            ListenerSettings settings,
            NodeSubscriber subscriber,
            Consumer<TopicMessage> handler,
            BlockingQueue<TopicMessage> messages) {
        this.listener = listener;
        this.settings = settings;
        this.subscriber = subscriber;
        this.handler = handler;
        this.messages = messages;
    }

    int size() {
        return messages.size();
    }

    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        message(topic, sequence, buffer, offset, length, MessageContext.EMPTY);
    }

    @Override
    public void message(
            String topic, long sequence, MemorySegment buffer, long offset, long length, MessageContext context) {
        byte[] copy = new byte[Math.toIntExact(length)];
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, offset, copy, 0, copy.length);
        messages.add(new TopicMessage(topic, sequence, MemorySegment.ofArray(copy), context));
        if (messages.size() >= settings.queueMax()) {
            paused.set(true);
            // In a handler it acts at once, so that no message comes on top of these.
            var _ = subscriber.pause();
            // Threads that have taken the last message before they could see the pause take none that would make them
            // look again.
            if (hasRoom() && paused.compareAndSet(true, false)) {
                var _ = subscriber.resume();
            }
        }
    }

    private boolean hasRoom() {
        return messages.size() <= settings.queueMax() / 2;
    }

    void start() {
        for (int i = 0; i < settings.concurrency(); i++) {
            String name = "fairlead-listener-" + listener + "-" + i;
            Thread.Builder builder = settings.threads() == ListenerSettings.Threads.VIRTUAL
                    ? Thread.ofVirtual().name(name)
                    : Thread.ofPlatform().daemon().name(name);
            threads.add(builder.start(this::run));
        }
    }

    private void run() {
        while (true) {
            try {
                TopicMessage message = messages.take();
                if (message.sequence() == END.sequence()) {
                    return;
                }
                handler.accept(message);
                if (hasRoom() && paused.compareAndSet(true, false)) {
                    resume();
                }
            } catch (InterruptedException interrupted) {
                if (stopping) {
                    return;
                }
                // A listener has interrupted its own thread, which is no reason to end the stream.
            }
        }
    }

    private void resume() {
        while (!stopping) {
            try {
                subscriber.resume().join();
                return;
            } catch (CompletionException failed) {
                if (!(failed.getCause() instanceof FairleadException refused)
                        || refused.status()
                                .filter(status -> status == Status.BACK_PRESSURE)
                                .isEmpty()) {
                    return;
                }
                LockSupport.parkNanos(RETRY_NS);
            }
        }
    }

    /** Ends the threads when they have handled what waits, or when that takes too long. No message may come any more. */
    void stop() {
        stopping = true;
        for (int i = 0; i < threads.size(); i++) {
            messages.add(END);
        }
        if (ends(settings.stopMs())) {
            return;
        }
        int left = messages.size();
        messages.clear();
        threads.forEach(Thread::interrupt);
        if (!ends(INTERRUPTED_MS)) {
            LOG.warn("listener {} does not return though its thread was interrupted; its thread stays", listener);
        }
        if (left > threads.size()) {
            LOG.warn(
                    "listener {} did not handle all messages before it stopped: unhandled={}, close.timeout={} ms",
                    listener,
                    left - threads.size(),
                    settings.stopMs());
        }
    }

    private boolean ends(long waitMs) {
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
        try {
            for (Thread thread : threads) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                if (!thread.join(Duration.ofMillis(Math.max(1, leftMs)))) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
