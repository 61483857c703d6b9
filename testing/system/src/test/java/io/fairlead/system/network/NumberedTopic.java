package io.fairlead.system.network;

import io.fairlead.FairleadException;
import io.fairlead.PathPolicy;
import io.fairlead.Status;
import io.fairlead.node.Node;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.NodePublisher;
import io.fairlead.pubsub.NodeSubscriber;
import io.fairlead.pubsub.NodeTopic;
import io.fairlead.pubsub.SubscriberOptions;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A topic whose messages have numbers. Its subscription reports a number that is not due: neither the next one, nor the first behind a gap. */
final class NumberedTopic implements SubscriptionEvents {
    private static final String TOPIC = "numbers";
    private static final int LENGTH = 4000;
    private static final ValueLayout.OfLong NUMBER = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long LIMIT_S = 60;

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong missed = new AtomicLong();
    private long next;

    /** Publishes a message a millisecond, and fewer while it finds no capacity. */
    static void publish(Node node, InetSocketAddress address, Clock clock) throws Exception {
        NodePublisher publisher = NodePublisher.listen(node, address).get(LIMIT_S, TimeUnit.SECONDS);
        NodeTopic topic = publisher.topic(TOPIC).get(LIMIT_S, TimeUnit.SECONDS);
        clock.every(Duration.ofMillis(1), () -> publishNext(topic));
    }

    private static void publishNext(NodeTopic topic) {
        long number = topic.sequence() + 1;
        byte[] message = new byte[LENGTH];
        MemorySegment.ofArray(message).set(NUMBER, 0, number);
        try {
            long published = topic.publish(message).join();
            if (published != number) {
                Report.say("violation published=" + published + " due=" + number);
            }
        } catch (CompletionException failure) {
            // One that found no capacity was not published, and its number is the next one's.
            if (!(failure.getCause() instanceof FairleadException refused)
                    || !refused.status().equals(Optional.of(Status.BACK_PRESSURE))) {
                Report.say("violation not published: " + failure.getCause());
            }
        }
    }

    /** Messages that came. */
    long received() {
        return received.get();
    }

    /** Messages in the gaps that were reported. */
    long missed() {
        return missed.get();
    }

    void subscribe(Node node, InetSocketAddress address) throws Exception {
        SubscriberOptions options =
                SubscriberOptions.defaults().withPathPolicy(PathPolicy.TCP_ONLY).withReconnect(Report.RECONNECT);
        NodeSubscriber subscriber =
                NodeSubscriber.connect(node, address, options).get(LIMIT_S, TimeUnit.SECONDS);
        subscriber
                .subscribe(TOPIC, SubscriptionOptions.defaults(), this::take, this)
                .get(LIMIT_S, TimeUnit.SECONDS);
    }

    private void take(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        if (sequence != next || length != LENGTH || buffer.get(NUMBER, offset) != sequence) {
            Report.say("violation sequence=" + sequence + " due=" + next + " length=" + length);
        }
        next = sequence + 1;
        received.incrementAndGet();
    }

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        if (next == 0) {
            next = nextSequence;
        }
    }

    @Override
    public void gap(Subscription subscription, long first, long last, GapCause cause) {
        if (first != next || last < first || cause != GapCause.DISCONNECTED) {
            Report.say("violation gap=" + first + " to " + last + " due=" + next + " cause=" + cause);
        }
        missed.addAndGet(last - first + 1);
        next = last + 1;
    }

    @Override
    public void restarted(Subscription subscription, long last, long nextSequence) {
        next = nextSequence;
        Report.say("topic restarted");
    }

    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        Report.say("topic " + cause.reason());
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        Report.say("violation ended: " + cause);
    }
}
