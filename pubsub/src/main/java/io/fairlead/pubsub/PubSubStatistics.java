package io.fairlead.pubsub;

import io.fairlead.Context;
import io.fairlead.pubsub.internal.ContextTotals;

/**
 * What publish-subscribe has counted over all publishers and subscribers of a context, past ones included. Thread-safe. Implemented by
 * Fairlead only.
 *
 * <p>Reading costs publishers and subscribers nothing: they write plain memory of their own. A lock separates readers from topics and
 * subscriptions that open and close. Publishing and delivering never take it.
 */
public interface PubSubStatistics {
    /**
     * The statistics of a context. They do not keep it from being collected.
     *
     * @param context the context of the workers on which publishers and subscribers are made
     * @return the same for the same context
     */
    static PubSubStatistics of(Context context) {
        return ContextTotals.of(context);
    }

    /**
     * The present value over all topics.
     *
     * @param counter which
     * @return 0 and up
     */
    long value(PubSubCounter counter);

    /**
     * The present value over the topics and subscriptions of one name that are open now.
     *
     * @param counter which
     * @param topic the topic's name
     * @return 0 and up; starts anew when the topic does
     */
    long value(PubSubCounter counter, String topic);
}
