package io.fairlead.pubsub.internal;

import io.fairlead.FairleadException;
import io.fairlead.FairleadException.Reason;
import io.fairlead.Worker;
import io.fairlead.WorkerTask;
import io.fairlead.pubsub.GapCause;
import io.fairlead.pubsub.MessageHandler;
import io.fairlead.pubsub.Subscription;
import io.fairlead.pubsub.SubscriptionEvents;
import io.fairlead.pubsub.SubscriptionOptions;
import io.fairlead.pubsub.SubscriptionState;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The subscription behind a {@link java.util.concurrent.Flow.Subscription}: takes messages while they are wanted, and ends with the first thing that breaks their
 * sequence. Belongs to the worker's thread.
 */
final class FlowStream<T> implements MessageHandler, SubscriptionEvents, Demand, WorkerTask {
    private final String topic;
    private final Function<? super MemorySegment, ? extends T> mapper;
    private final FlowSignals<T> signals;
    private @Nullable Worker worker;
    private @Nullable LiveSubscription subscription;

    FlowStream(String topic, Function<? super MemorySegment, ? extends T> mapper, FlowSignals<T> signals) {
        this.topic = topic;
        this.mapper = mapper;
        this.signals = signals;
    }

    void open(Worker on, LiveSubscriber subscriber, SubscriptionOptions options) {
        worker = on;
        subscription = subscriber.subscribe(topic, options, this, this, this);
        on.attach(this);
        signals.wakeBy(on::wakeup);
        // The next turn, which follows at once, handles earlier requests.
        on.wakeup();
    }

    @Override
    public boolean wantsMessage() {
        return signals.wantsElement();
    }

    @Override
    public void message(String name, long sequence, MemorySegment buffer, long offset, long length) {
        T element;
        try {
            element = Objects.requireNonNull(
                    mapper.apply(buffer.asSlice(offset, length).asReadOnly()), "the mapper's answer");
        } catch (Throwable thrown) {
            end(new FlowEnd(thrown));
            return;
        }
        signals.add(element);
    }

    @Override
    public void gap(Subscription told, long firstSequence, long lastSequence, GapCause cause) {
        fail(
                Reason.LIMIT_REACHED,
                "flow missed messages: topic=" + topic + ", first=" + firstSequence + ", last=" + lastSequence
                        + ", cause=" + cause + "; request more, or publish with SlowPolicy.BLOCK");
    }

    @Override
    public void disconnected(Subscription told, FairleadException cause) {
        LiveSubscription ended = Objects.requireNonNull(subscription);
        if (cause.reason() != Reason.CLOSED) {
            end(new FlowEnd(cause));
        } else if (!ended.isEndedByPublisher()) {
            fail(
                    Reason.CLOSED,
                    "publisher closed its node before the topic: topic=" + topic
                            + "; close the topic, or the publisher, before the node");
        } else if (ended.lag() > 0) {
            fail(
                    Reason.CLOSED,
                    "topic was closed before all of it was sent: topic=" + topic + ", missed=" + ended.lag()
                            + "; drain the topic before it is closed");
        } else {
            end(FlowEnd.COMPLETE);
        }
    }

    @Override
    public void ended(Subscription told, FairleadException cause) {
        end(new FlowEnd(cause));
    }

    private void fail(Reason reason, String message) {
        end(new FlowEnd(new FairleadException(reason, message)));
    }

    private void end(FlowEnd last) {
        signals.end(last);
        leave();
    }

    private void leave() {
        Objects.requireNonNull(worker).detach(this);
        Objects.requireNonNull(subscription).close();
        signals.runStranded();
    }

    @Override
    public int run() {
        signals.runStranded();
        if (signals.isOver()) {
            leave();
            return 1;
        }
        if (Objects.requireNonNull(subscription).state() == SubscriptionState.CLOSED) {
            endClosed();
            return 1;
        }
        return 0;
    }

    @Override
    public void workerClosed() {
        endClosed();
    }

    private void endClosed() {
        end(new FlowEnd(NodeCalls.closed("flow ended", topic, "its subscriber was closed: make another")));
    }
}
