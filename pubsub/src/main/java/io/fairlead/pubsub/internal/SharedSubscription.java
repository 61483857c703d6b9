package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A subscription on a progress thread of a node. Any thread may read its counts. Its close runs on the progress thread. */
final class SharedSubscription implements Subscription {
    private final NodeCalls calls;
    private final JoinedFuture joined;
    /** Set before the application has this object. */
    private @Nullable Subscription subscription;

    private SharedSubscription(NodeCalls calls) {
        this.calls = calls;
        this.joined = new JoinedFuture(calls::newFuture);
    }

    /** Subscribes, on the progress thread. */
    static Subscription subscribe(
            NodeCalls calls,
            Subscriber subscriber,
            String topic,
            SubscriptionOptions options,
            MessageHandler handler,
            SubscriptionEvents events) {
        SharedSubscription shared = new SharedSubscription(calls);
        SubscriptionEvents told = new SharedEvents(shared, Objects.requireNonNull(events, "events"));
        Subscription made = subscriber.subscribe(topic, options, handler, told);
        shared.subscription = made;
        CompletableFuture<Subscription> _ =
                made.joined().whenComplete((_, failure) -> calls.complete(() -> shared.settle(failure)));
        return shared;
    }

    /** Passes the subscription that any thread may use to events, instead of the one that belongs to the progress thread. */
    private record SharedEvents(Subscription shared, SubscriptionEvents events) implements SubscriptionEvents {
        @Override
        public void joined(Subscription subscription, long nextSequence) {
            events.joined(shared, nextSequence);
        }

        @Override
        public void snapshotDelivered(Subscription subscription, int messages) {
            events.snapshotDelivered(shared, messages);
        }

        @Override
        public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
            events.gap(shared, firstSequence, lastSequence, cause);
        }

        @Override
        public void restarted(Subscription subscription, long lastSequence, long nextSequence) {
            events.restarted(shared, lastSequence, nextSequence);
        }

        @Override
        public void disconnected(Subscription subscription, FairleadException cause) {
            events.disconnected(shared, cause);
        }

        @Override
        public void ended(Subscription subscription, FairleadException cause) {
            events.ended(shared, cause);
        }
    }

    private void settle(@Nullable Throwable failure) {
        if (failure == null) {
            joined.joined(this);
        } else {
            joined.failed(failure);
        }
    }

    private Subscription subscription() {
        return Objects.requireNonNull(subscription, "subscription");
    }

    @Override
    public String topic() {
        return subscription().topic();
    }

    @Override
    public SubscriptionState state() {
        return subscription().state();
    }

    @Override
    public CompletableFuture<Subscription> joined() {
        return joined;
    }

    @Override
    public long received() {
        return subscription().received();
    }

    @Override
    public long bytesReceived() {
        return subscription().bytesReceived();
    }

    @Override
    public long gaps() {
        return subscription().gaps();
    }

    @Override
    public long missed() {
        return subscription().missed();
    }

    @Override
    public long rejoins() {
        return subscription().rejoins();
    }

    @Override
    public long lag() {
        return subscription().lag();
    }

    @Override
    public long lastSequence() {
        return subscription().lastSequence();
    }

    @Override
    public void close() {
        calls.await(calls.closeAtOnce(subscription()::close));
    }
}
