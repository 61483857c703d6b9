package io.fairlead.node.internal.request;

import io.fairlead.Context;
import io.fairlead.node.RequestCounter;
import io.fairlead.node.RequestStatistics;
import io.fairlead.node.ServiceStatistics;
import io.fairlead.node.ServiceStatistics.Side;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Adds up what the loops of a context's node count of requests. Thread-safe. */
public final class ContextRequests implements RequestStatistics {
    /** One for each context, and freed with it: nothing in it keeps the context from being collected. */
    private static final Map<Context, ContextRequests> BY_CONTEXT = new WeakHashMap<>();

    private final List<RequestCounters> loops = new CopyOnWriteArrayList<>();
    private final ServicesCounted served = new ServicesCounted(Side.SERVICE);
    private final ServicesCounted called = new ServicesCounted(Side.CALLER);

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

    /** The services of the node. */
    ServicesCounted served() {
        return served;
    }

    /** The services that the node asks. */
    ServicesCounted called() {
        return called;
    }

    @Override
    public List<ServiceStatistics> services() {
        return Stream.concat(served.all().stream(), called.all().stream())
                .map(ServiceStatistics.class::cast)
                .toList();
    }

    @Override
    public long value(RequestCounter counter) {
        return loops.stream().mapToLong(counters -> counters.value(counter)).sum();
    }
}
