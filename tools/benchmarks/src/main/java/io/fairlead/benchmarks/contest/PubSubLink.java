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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A topic with one subscriber that the publisher waits for. Messages go one way. */
final class PubSubLink implements Link, MessageHandler {
    private static final String TOPIC = "bench";
    private static final int MESSAGE_MAX = 64 << 10;
    private static final long AWAIT_NS = 1_000_000_000;

    private final FairleadPeer peer;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment message = arena.allocate(MESSAGE_MAX, 64);
    private @Nullable Publisher publisher;
    private @Nullable Topic topic;
    private int size;
    private long expected;
    private int taken;

    /** Publishes, or subscribes at a port. */
    PubSubLink(FairleadPeer peer, Optional<String> address) {
        this.peer = peer;
        if (address.isPresent()) {
            Subscriber subscriber = Subscriber.connect(peer.worker(), FairleadPeer.loopback(address.get()));
            Subscription subscription =
                    subscriber.subscribe(TOPIC, SubscriptionOptions.defaults(), this, SubscriptionEvents.NONE);
            peer.await(() -> subscription.state() == SubscriptionState.LIVE);
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
            peer.await(() -> open.subscriberCount() == 1);
            finish();
        }
    }

    @Override
    public void begin(Work work, int outgoing, int incoming, int inFlight) {
        size = work.size();
        expected = 0;
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

    @Override
    public int poll() {
        peer.worker().progress();
        // Some may have come while something else was waited for.
        int since = taken;
        taken = 0;
        return since;
    }

    @Override
    public void message(String name, long sequence, MemorySegment buffer, long offset, long length) {
        Payload.length(size, (int) length);
        Payload.check(buffer, offset, size, expected);
        expected++;
        taken++;
    }

    @Override
    public void await() {
        peer.worker().await(AWAIT_NS);
    }

    @Override
    public void close() {
        peer.close();
        arena.close();
    }
}
