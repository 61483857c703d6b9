package io.fairlead.spring;

import io.fairlead.FairleadException;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what happens to a listener's subscription. */
record ListenerEvents(String listener) implements SubscriptionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(FairleadListenerContainer.class);

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        LOG.info("listener {} joined: topic={}, next sequence={}", listener, subscription.topic(), nextSequence);
    }

    @Override
    public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
        LOG.warn(
                "listener {} missed messages: topic={}, first={}, last={}, cause={}",
                listener,
                subscription.topic(),
                firstSequence,
                lastSequence,
                cause);
    }

    @Override
    public void restarted(Subscription subscription, long lastSequence, long nextSequence) {
        LOG.warn(
                "listener {} has another publisher than before: topic={}, last sequence={}, next sequence={}",
                listener,
                subscription.topic(),
                lastSequence,
                nextSequence);
    }

    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        LOG.warn("listener {} joins again: topic={}: {}", listener, subscription.topic(), cause.getMessage());
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        LOG.error("listener {} has ended: topic={}: {}", listener, subscription.topic(), cause.getMessage());
    }
}
