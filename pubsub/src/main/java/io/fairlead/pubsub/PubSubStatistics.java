package io.fairlead.pubsub;

import io.fairlead.Context;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * What publish-subscribe has counted over all publishers and subscribers of a context, past ones included. Thread-safe.
 *
 * <p>Reading costs publishers and subscribers nothing: they write plain memory of their own. A lock keeps readers apart from topics
 * and subscriptions that come and go; publishing and delivering never meet it.
 */
// Ordinals never leave the process, and are the cheapest indexes there are.
@SuppressWarnings("EnumOrdinal")
public final class PubSubStatistics {
    /** What counts by itself: a topic or a subscription. Equal to nothing but itself. */
    interface Source {
        String topicName();

        /** 0 for what it does not count. Any thread. */
        long count(PubSubCounter counter);
    }

    /** One for each context, and freed with it: nothing in it keeps the context from being collected. */
    private static final Map<Context, PubSubStatistics> BY_CONTEXT = new WeakHashMap<>();

    /** Weak, because a topic or subscription refers to its context. */
    private final Set<Source> sources = Collections.newSetFromMap(new WeakHashMap<>());
    /** What those that are gone have counted. */
    private final long[] past = new long[PubSubCounter.values().length];

    private PubSubStatistics() {}

    /**
     * The statistics of a context.
     *
     * @param context the context of the workers on which publishers and subscribers are made
     * @return the same for the same context
     */
    public static PubSubStatistics of(Context context) {
        Objects.requireNonNull(context, "context");
        synchronized (BY_CONTEXT) {
            return BY_CONTEXT.computeIfAbsent(context, _ -> new PubSubStatistics());
        }
    }

    synchronized void opened(Source source) {
        sources.add(source);
    }

    synchronized void closed(Source source) {
        if (!sources.remove(source)) {
            return;
        }
        for (PubSubCounter counter : PubSubCounter.values()) {
            if (counter.lasting()) {
                past[counter.ordinal()] += source.count(counter);
            }
        }
    }

    /**
     * The present value over all topics.
     *
     * @param counter which
     * @return 0 and up
     */
    public synchronized long value(PubSubCounter counter) {
        long value = past[counter.ordinal()];
        for (Source source : sources) {
            value = with(value, counter, source);
        }
        return value;
    }

    /**
     * The present value over the topics and subscriptions of one name that are open now.
     *
     * @param counter which
     * @param topic the topic's name
     * @return 0 and up; starts anew when the topic does
     */
    public synchronized long value(PubSubCounter counter, String topic) {
        Objects.requireNonNull(topic, "topic");
        long value = 0;
        for (Source source : sources) {
            if (source.topicName().equals(topic)) {
                value = with(value, counter, source);
            }
        }
        return value;
    }

    private static long with(long value, PubSubCounter counter, Source source) {
        long count = source.count(counter);
        return counter == PubSubCounter.LAG_MAX ? Math.max(value, count) : value + count;
    }
}
