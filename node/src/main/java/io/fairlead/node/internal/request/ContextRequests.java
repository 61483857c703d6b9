package io.fairlead.node.internal.request;

import io.fairlead.Context;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Adds up what the loops of a context's node count of requests. Thread-safe. */
public final class ContextRequests implements RequestStatistics {
    /** One for each context, and freed with it: nothing in it keeps the context from being collected. */
    private static final Map<Context, ContextRequests> BY_CONTEXT = new WeakHashMap<>();

    private final List<RequestCounters> loops = new CopyOnWriteArrayList<>();

    private ContextRequests() {}

    public static ContextRequests of(Context context) {
        Objects.requireNonNull(context, "context");
        synchronized (BY_CONTEXT) {
            return BY_CONTEXT.computeIfAbsent(context, _ -> new ContextRequests());
        }
    }

    /** Adds the counters of a loop. */
    RequestCounters newLoop() {
        RequestCounters counters = new RequestCounters();
        loops.add(counters);
        return counters;
    }

    @Override
    public long value(RequestCounter counter) {
        return loops.stream().mapToLong(counters -> counters.value(counter)).sum();
    }
}
