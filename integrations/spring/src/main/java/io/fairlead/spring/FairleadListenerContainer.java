package io.fairlead.spring;

import io.fairlead.internal.log.Callbacks;
import io.fairlead.node.Node;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls one {@link FairleadListener} with the messages of its topic. {@link FairleadListeners} starts and stops it. Thread-safe.
 *
 * <p>Messages are copied on a progress thread of the node and wait for the listener's own threads, so that a listener may block. These are virtual threads if
 * {@code spring.threads.virtual.enabled} is set.
 */
public final class FairleadListenerContainer {
    private static final Logger LOG = LoggerFactory.getLogger(FairleadListenerContainer.class);

    private final ListenerMethod method;
    private final ListenerSettings settings;
    private final Function<TopicMessage, Object> conversion;
    private final ListenerObserver observer;
    private final LongAdder failures = new LongAdder();
    private final LongAdder handled = new LongAdder();
    private volatile @Nullable Running running;

    FairleadListenerContainer(
            ListenerMethod method,
            ListenerSettings settings,
            Function<TopicMessage, Object> conversion,
            ListenerObserver observer) {
        this.method = method;
        this.settings = settings;
        this.conversion = conversion;
        this.observer = observer;
    }

    /**
     * What it is called.
     *
     * @return unique in an application
     */
    public String id() {
        return method.id();
    }

    /**
     * The topic's name.
     *
     * @return placeholders resolved
     */
    public String topic() {
        return settings.topic();
    }

    /**
     * The state of its subscription.
     *
     * @return {@link SubscriptionState#CLOSED} while it does not run
     */
    public SubscriptionState state() {
        Running current = running;
        return current == null ? SubscriptionState.CLOSED : current.subscription.state();
    }

    /**
     * Messages that the method has been called with, failed calls included.
     *
     * @return a count
     */
    public long handled() {
        return handled.sum();
    }

    /**
     * Messages for which the method, or the conversion of the message, has thrown something.
     *
     * @return a count
     */
    public long failures() {
        return failures.sum();
    }

    /**
     * Messages that wait for the listener's threads.
     *
     * @return 0 to {@code fairlead.spring.listener.queue-max}
     */
    public int waiting() {
        Running current = running;
        return current == null ? 0 : current.queue.size();
    }

    void start(Node node, SubscriberOptions subscriberOptions, SubscriptionOptions subscriptionOptions) {
        // By name, whatever the application has written: it is followed, and need not resolve yet.
        String publisher = Addresses.service(settings.address());
        NodeSubscriber subscriber = Futures.join(NodeSubscriber.connect(node, publisher, subscriberOptions));
        ListenerQueue queue = new ListenerQueue(id(), settings, subscriber, this::handle);
        try {
            Subscription subscription =
                    Futures.join(subscriber.subscribe(topic(), subscriptionOptions, queue, new ListenerEvents(id())));
            queue.start();
            running = new Running(subscriber, subscription, queue);
        } catch (RuntimeException failed) {
            subscriber.close();
            throw failed;
        }
    }

    /** Takes no more messages and lets the listener handle the queued ones. Interrupts it if that takes too long. */
    void stop() {
        Running current = running;
        if (current != null) {
            running = null;
            try {
                current.subscriber.close();
            } catch (RuntimeException failed) {
                LOG.warn(
                        "listener {} did not close its connection, which ends with the node: {}",
                        id(),
                        failed.getMessage());
            }
            current.queue.stop();
        }
    }

    private void handle(TopicMessage message) {
        handled.increment();
        try {
            observer.around(id(), message, () -> method.call(conversion.apply(message)));
        } catch (Throwable thrown) {
            // Whatever it is, the messages behind this one are not to be lost for it.
            failures.increment();
            Callbacks.logThrown(
                    LOG,
                    thrown,
                    "listener {} failed: topic={}, sequence={}",
                    id(),
                    message.topic(),
                    message.sequence());
        }
    }

    /** From a start to a stop. */
    private record Running(NodeSubscriber subscriber, Subscription subscription, ListenerQueue queue) {}
}
