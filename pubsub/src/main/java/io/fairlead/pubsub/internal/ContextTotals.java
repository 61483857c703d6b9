package io.fairlead.pubsub.internal;

import io.fairlead.Context;
import io.fairlead.pubsub.PubSubCounter;
import io.fairlead.pubsub.PubSubStatistics;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.WeakHashMap;

/** Adds up what the topics and subscriptions of a context count. Thread-safe. */
public final class ContextTotals implements PubSubStatistics {
    /** What counts by itself: a topic or a subscription. Equal to nothing but itself. */
    interface Source {
        String topicName();

        /** 0 for what it does not count. Any thread. */
        long count(PubSubCounter counter);
    }

    /** Counts of open topics and subscriptions only. The others keep what closed ones have counted. */
    private static final Set<PubSubCounter> PRESENT = EnumSet.of(
            PubSubCounter.TOPICS,
            PubSubCounter.SUBSCRIBERS,
            PubSubCounter.SUBSCRIPTIONS,
            PubSubCounter.LAG,
            PubSubCounter.LAG_MAX);

    /** One for each context, and freed with it: nothing in it keeps the context from being collected. */
    private static final Map<Context, ContextTotals> BY_CONTEXT = new WeakHashMap<>();

    /** Weak, because a topic or subscription refers to its context. */
    private final Set<Source> sources = Collections.newSetFromMap(new WeakHashMap<>());
    /** The counts of sources that are gone. */
    private final Map<PubSubCounter, Long> past = new EnumMap<>(PubSubCounter.class);

    private ContextTotals() {}

    public static ContextTotals of(Context context) {
        Objects.requireNonNull(context, "context");
        synchronized (BY_CONTEXT) {
            return BY_CONTEXT.computeIfAbsent(context, _ -> new ContextTotals());
        }
    }

    synchronized void opened(Source source) {
        sources.add(source);
    }

    synchronized void closed(Source source) {
        if (!sources.remove(source)) {
            return;
        }
        for (PubSubCounter counter : EnumSet.complementOf(EnumSet.copyOf(PRESENT))) {
            past.merge(counter, source.count(counter), Long::sum);
        }
    }

    @Override
    public synchronized long value(PubSubCounter counter) {
        long value = past.getOrDefault(counter, 0L);
        for (Source source : sources) {
            value = with(value, counter, source);
        }
        return value;
    }

    @Override
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
