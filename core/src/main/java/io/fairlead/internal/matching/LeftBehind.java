package io.fairlead.internal.matching;

import java.util.IdentityHashMap;
import java.util.Objects;

/** The memory of messages that survived their endpoints, and of what a receive reports about those endpoints. */
public final class LeftBehind {
    /** The limit, in bytes. */
    public static final long BYTES_MAX = 16L << 20;

    /** The memory of a message beside its payload, rounded up. */
    private static final long MESSAGE_BYTES = 192;

    /** The memory of an ended endpoint with an unreceived message: its name, its counters, its failure; rounded up. */
    private static final long ENDPOINT_BYTES = 4096;

    private final IdentityHashMap<MessageSource, Integer> messages = new IdentityHashMap<>();
    private long bytes;

    void add(CoreArrival arrival) {
        if (messages.merge(source(arrival), 1, Integer::sum) == 1) {
            bytes += ENDPOINT_BYTES;
        }
        bytes += MESSAGE_BYTES + arrival.length;
    }

    void remove(CoreArrival arrival) {
        if (messages.computeIfPresent(source(arrival), (_, count) -> count == 1 ? null : count - 1) == null) {
            bytes -= ENDPOINT_BYTES;
        }
        bytes -= MESSAGE_BYTES + arrival.length;
    }

    /** Whether the limit is exceeded. */
    boolean isExcessive() {
        return bytes > BYTES_MAX;
    }

    private static MessageSource source(CoreArrival arrival) {
        return Objects.requireNonNull(arrival.source, "source");
    }
}
