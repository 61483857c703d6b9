package io.fairlead.benchmarks.contest;

import io.fairlead.Status;
import io.fairlead.cli.measure.Work;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Publisher;
import io.fairlead.pubsub.SlowPolicy;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import io.fairlead.pubsub.Topic;
import io.fairlead.pubsub.TopicOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A topic that waits for its subscribers, each with a connection of its own and all on one worker. Messages go one way. */
public final class PubSubLink implements Link {
    private static final String TOPIC = "bench";
    private static final int MESSAGE_MAX = 64 << 10;

    private final FairleadPeer peer;
    private final int count;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment message = arena.allocate(MESSAGE_MAX, 64);
    private final List<Messages> subscribers = new ArrayList<>();
    private @Nullable Publisher publisher;
    private @Nullable Topic topic;
    private int size;
    /** Messages of all subscribers, and those that each of them is known to have. */
    private long arrived;

    private long taken;

    /** What one subscriber has: nothing is missing, and all is in order. */
    private final class Messages implements MessageHandler {
        private long expected;

        @Override
        public void message(String name, long sequence, MemorySegment buffer, long offset, long length) {
            Payload.length(size, (int) length);
            Payload.check(buffer, offset, size, expected);
            expected++;
            arrived++;
        }
    }

    /** Publishes to so many, or subscribes so often at a port. */
    public PubSubLink(FairleadPeer peer, int count, Optional<String> address) {
        this.peer = peer;
        this.count = count;
        if (address.isPresent()) {
            for (int i = 0; i < count; i++) {
                Messages messages = new Messages();
                subscribers.add(messages);
                Subscription subscription = Subscriber.connect(peer.worker(), FairleadPeer.loopback(address.get()))
                        .subscribe(TOPIC, SubscriptionOptions.defaults(), messages, SubscriptionEvents.NONE);
                peer.await(() -> subscription.state() == SubscriptionState.LIVE);
            }
        } else {
            publisher = Publisher.listen(peer.worker(), FairleadPeer.loopback(0));
            topic = publisher.topic(TOPIC, TopicOptions.defaults().withSlowPolicy(SlowPolicy.BLOCK));
        }
    }

    @Override
    public String address() {
        return publisher == null ? "" : String.valueOf(publisher.address().getPort());
    }

    @Override
    public void awaitPeer() {
        Topic open = topic;
        if (open != null) {
            peer.await(() -> open.subscriberCount() == count);
            finish();
        }
    }

    @Override
    public void begin(Work work, int outgoing, int incoming, int inFlight) {
        size = work.size();
        subscribers.forEach(messages -> messages.expected = 0);
        arrived = 0;
        taken = 0;
    }

    @Override
    public void send(long number) {
        Topic open = topic;
        if (open == null) {
            throw new IllegalStateException("a subscriber does not send");
        }
        Payload.write(message, size, number);
        for (long done = open.publish(message, 0, size); done < 0; done = open.publish(message, 0, size)) {
            if (done != Status.BACK_PRESSURE.code()) {
                throw new IllegalStateException("not published: " + Status.of(done));
            }
            peer.worker().progress();
        }
    }

    @Override
    public void flush() {
        peer.worker().progress();
    }

    @Override
    public void finish() {
        Publisher open = publisher;
        while (open != null && !open.drained()) {
            peer.worker().progress();
        }
        peer.settle();
    }

    /** The last of a turn's messages are those that all subscribers have. */
    @Override
    public int poll() {
        peer.advance();
        // Some may have come while something else was waited for.
        long before = taken;
        taken = arrived / count;
        return (int) (taken - before);
    }

    @Override
    public void close() {
        peer.close();
        arena.close();
    }
}
