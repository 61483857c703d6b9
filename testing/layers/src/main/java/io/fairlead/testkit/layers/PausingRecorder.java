package io.fairlead.testkit.layers;

import io.fairlead.FairleadException;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscriber;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import java.lang.foreign.MemorySegment;

/** Pauses its subscriber in every message and every event, and counts callbacks that run during a pause all the same. */
record PausingRecorder(Subscriber subscriber, TopicRecorder recorder, Count calls, Count callsWhilePaused)
        implements MessageHandler, SubscriptionEvents {
    /** A number that changes. */
    static final class Count {
        private int value;

        int value() {
            return value;
        }
    }

    PausingRecorder(Subscriber subscriber, TopicRecorder recorder) {
        this(subscriber, recorder, new Count(), new Count());
    }

    private void pause() {
        calls.value++;
        if (subscriber.isPaused()) {
            callsWhilePaused.value++;
        }
        subscriber.pause();
    }

    @Override
    public void message(String topic, long sequence, MemorySegment buffer, long offset, long length) {
        pause();
        recorder.message(topic, sequence, buffer, offset, length);
    }

    @Override
    public void joined(Subscription subscription, long nextSequence) {
        pause();
        recorder.joined(subscription, nextSequence);
    }

    @Override
    public void snapshotDelivered(Subscription subscription, int messages) {
        pause();
        recorder.snapshotDelivered(subscription, messages);
    }

    @Override
    public void gap(Subscription subscription, long firstSequence, long lastSequence, GapCause cause) {
        pause();
        recorder.gap(subscription, firstSequence, lastSequence, cause);
    }

    @Override
    public void restarted(Subscription subscription, long lastSequence, long nextSequence) {
        pause();
        recorder.restarted(subscription, lastSequence, nextSequence);
    }

    @Override
    public void disconnected(Subscription subscription, FairleadException cause) {
        pause();
        recorder.disconnected(subscription, cause);
    }

    @Override
    public void ended(Subscription subscription, FairleadException cause) {
        pause();
        recorder.ended(subscription, cause);
    }
}
