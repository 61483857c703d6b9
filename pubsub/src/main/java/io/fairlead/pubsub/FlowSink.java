package io.fairlead.pubsub;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * Publishes the elements of a flow on a topic, see {@link NodeTopic#flow}. For one {@link Flow.Publisher}: a second subscription is cancelled, as the
 * Reactive Streams specification asks. Implemented by Fairlead only.
 *
 * @param <T> the type of the elements
 */
public interface FlowSink<T> extends Flow.Subscriber<T> {
    /**
     * The end of the flow.
     *
     * @return completes when the flow has completed, subscribers were sent all of its elements, and the topic is closed. Fails with what ended the
     *     flow: the error that it signalled, what the mapper threw, what publishing an element threw, or a
     *     {@link io.fairlead.FairleadException} of reason {@code CLOSED} if the topic was closed before. Completing or cancelling it changes nothing
     */
    CompletableFuture<Void> ended();
}
