package io.fairlead.benchmarks.scale;

import io.fairlead.FairleadException;
import io.fairlead.benchmarks.contest.FairleadPeer;
import io.fairlead.benchmarks.contest.Payload;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Subscribers of one topic, each with a connection of its own, on one worker. */
final class TopicSubscribe extends WorkerSide {
    private final int subscribers;
    private @Nullable RuntimeException failure;
    private final List<One> all = new ArrayList<>();
    private long wanted;
    /** Subscribers that are known to have all that is wanted. */
    private int complete;

    /**
     * Subscribes.
     *
     * @param arguments the transport, and how many subscribers
     * @param address the port
     */
    TopicSubscribe(List<String> arguments, Optional<String> address) {
        super(arguments.getFirst());
        int port = Integer.parseInt(address.orElseThrow());
        subscribers = Integer.parseInt(arguments.get(1));
        for (int i = 0; i < subscribers; i++) {
            One one = new One();
            Subscription subscription = Subscriber.connect(worker, FairleadPeer.loopback(port))
                    .subscribe(TopicPublish.TOPIC, SubscriptionOptions.defaults(), one, one);
            all.add(one);
            await("a subscription", () -> subscription.state() == SubscriptionState.LIVE || failure != null);
            check();
        }
    }

    /** One subscriber: nothing is missing, and all is in order. */
    private final class One implements MessageHandler, SubscriptionEvents {
        private long expected;

        @Override
        public void message(String name, long sequence, MemorySegment buffer, long offset, long length) {
            try {
                Payload.length(TopicPublish.SIZE, (int) length);
                Payload.check(buffer.asSlice(offset, length), TopicPublish.SIZE, expected);
            } catch (IllegalStateException other) {
                failure = other;
            }
            expected++;
        }

        @Override
        public void gap(Subscription subscription, long first, long last, GapCause cause) {
            failure = new IllegalStateException(
                    "messages are lost: first=" + first + ", last=" + last + ", cause=" + cause);
        }

        @Override
        public void disconnected(Subscription subscription, FairleadException cause) {
            failure = cause;
        }

        @Override
        public void ended(Subscription subscription, FairleadException cause) {
            failure = cause;
        }
    }

    private void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Looks again at the first that was not complete, not at all of them. */
    private boolean isComplete() {
        while (complete < subscribers && all.get(complete).expected >= wanted) {
            complete++;
        }
        return complete == subscribers;
    }

    /** The time at which every subscriber had a number of messages more; some may have come before it was told. */
    @Override
    public String turn(String line, Runnable begun) {
        wanted += Long.parseLong(line);
        complete = 0;
        await("messages", () -> isComplete() || failure != null);
        check();
        return String.valueOf(System.nanoTime());
    }
}
