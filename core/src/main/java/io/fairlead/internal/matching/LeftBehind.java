package io.fairlead.internal.matching;

import java.util.IdentityHashMap;
import java.util.Objects;

/**
 * The memory of the messages that endpoints have left behind, and of what a receive reports of those endpoints. Layers that keep their messages to
 * themselves have a bound of their own: what they leave must not displace what the application waits for.
 */
public final class LeftBehind {
    /** Each of the two bounds, in bytes. */
    public static final long BYTES_MAX = 16L << 20;

    /** What a message takes beside its payload, rounded up. */
    private static final long MESSAGE_BYTES = 192;

    /** What an ended endpoint takes while a message of it is here: its name, its counters, its failure; rounded up. */
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

    /** Whether a bound is exceeded. */
    boolean isExcessive() {
        return application.bytes > BYTES_MAX || layers.bytes > BYTES_MAX;
    }

    /** Whether a message counts for a bound that is exceeded. */
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
