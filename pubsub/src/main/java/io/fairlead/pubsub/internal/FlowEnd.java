package io.fairlead.pubsub.internal;

import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/**
 * The last signal of a flow.
 *
 * @param error null if it is complete
 */
record FlowEnd(@Nullable Throwable error) {
    static final FlowEnd COMPLETE = new FlowEnd(null);

    void signalTo(Flow.Subscriber<?> subscriber) {
        if (error == null) {
            subscriber.onComplete();
        } else {
            subscriber.onError(error);
        }
    }
}
