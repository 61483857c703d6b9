package io.fairlead.internal.matching;

import java.util.IdentityHashMap;
import java.util.Objects;

/**
 * The memory of messages that survived their endpoints, and of what a receive reports about those endpoints. Exclusive
 * layers have a separate limit, because their messages must not displace the application's.
 */
public final class LeftBehind {
    /** Each of the two limits, in bytes. */
    public static final long BYTES_MAX = 16L << 20;

    /** The memory of a message beside its payload, rounded up. */
    private static final long MESSAGE_BYTES = 192;

    /** The memory of an ended endpoint with an unreceived message: its name, its counters, its failure; rounded up. */
    private static final long ENDPOINT_BYTES = 4096;

    private static final class Bound {
        private final IdentityHashMap<MessageSource, Integer> messages = new IdentityHashMap<>();
        private long bytes;
    }

    private final Bound application = new Bound();
    private final Bound layers = new Bound();

    void add(CoreArrival arrival) {
        Bound bound = boundOf(arrival);
        if (bound.messages.merge(source(arrival), 1, Integer::sum) == 1) {
            bound.bytes += ENDPOINT_BYTES;
        }
        bound.bytes += MESSAGE_BYTES + arrival.length;
    }

    void remove(CoreArrival arrival) {
        Bound bound = boundOf(arrival);
        if (bound.messages.computeIfPresent(source(arrival), (_, count) -> count == 1 ? null : count - 1) == null) {
            bound.bytes -= ENDPOINT_BYTES;
        }
        bound.bytes -= MESSAGE_BYTES + arrival.length;
    }

    /** Whether a limit is exceeded. */
    boolean isExcessive() {
        return application.bytes > BYTES_MAX || layers.bytes > BYTES_MAX;
    }

    /** Whether a message counts towards an exceeded limit. */
    boolean isExcess(CoreArrival arrival) {
        return boundOf(arrival).bytes > BYTES_MAX;
    }

    private Bound boundOf(CoreArrival arrival) {
        return source(arrival).isExclusive() ? layers : application;
    }

    private static MessageSource source(CoreArrival arrival) {
        return Objects.requireNonNull(arrival.source, "source");
    }
}
