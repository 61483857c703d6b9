package io.fairlead.pubsub.internal;

import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionState;

/** A subscription on a progress thread of a node. Its figures are any thread's to read, and its close is handed to the progress thread. */
record SharedSubscription(NodeCalls calls, Subscription subscription) implements Subscription {
    @Override
    public String topic() {
        return subscription.topic();
    }

    @Override
    public SubscriptionState state() {
        return subscription.state();
    }

    @Override
    public long received() {
        return subscription.received();
    }

    @Override
    public long bytesReceived() {
        return subscription.bytesReceived();
    }

    @Override
    public long gaps() {
        return subscription.gaps();
    }

    @Override
    public long missed() {
        return subscription.missed();
    }

    @Override
    public long rejoins() {
        return subscription.rejoins();
    }

    @Override
    public long lag() {
        return subscription.lag();
    }

    @Override
    public long lastSequence() {
        return subscription.lastSequence();
    }

    @Override
    public void close() {
        calls.await(calls.runClose(_ -> subscription.close()));
    }
}
