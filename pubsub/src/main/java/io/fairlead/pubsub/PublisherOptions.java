package io.fairlead.pubsub;

import io.fairlead.pubsub.internal.Limits;
import java.time.Duration;
import java.util.Objects;

/**
 * The bounds of a publisher. Immutable; start from {@link #defaults()}.
 *
 * @param connectionsMax subscribers' connections at once, 1 to 65,535; more are closed
 * @param topicsMax topics at once, 1 to 1,048,576
 * @param subscriptionsMax subscriptions of one connection at once, 1 to 4,095; more are refused
 * @param drainTimeout how long {@link Publisher#close()} goes on sending what subscribers have not been sent, 0 to 1 hour
 * @param events called when subscribers join and leave
 */
public record PublisherOptions(
        int connectionsMax, int topicsMax, int subscriptionsMax, Duration drainTimeout, PublisherEvents events) {
    private static final PublisherOptions DEFAULTS =
            new PublisherOptions(4096, 4096, 256, Duration.ofSeconds(1), PublisherEvents.NONE);

    /** Checks the ranges. */
    public PublisherOptions {
        Limits.range("connectionsMax", connectionsMax, 1, 65_535, "");
        Limits.range("topicsMax", topicsMax, 1, 1 << 20, "");
        Limits.range("subscriptionsMax", subscriptionsMax, 1, Limits.SUBSCRIPTIONS_MAX, "");
        Limits.duration("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofHours(1));
        Objects.requireNonNull(events, "events");
    }

    /**
     * 4,096 connections, 4,096 topics, 256 subscriptions of a connection, a drain of at most a second.
     *
     * @return always the same
     */
    public static PublisherOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A copy with another number of connections.
     *
     * @param value connections at once
     * @return the copy
     */
    public PublisherOptions withConnectionsMax(int value) {
        return new PublisherOptions(value, topicsMax, subscriptionsMax, drainTimeout, events);
    }

    /**
     * A copy with another number of topics.
     *
     * @param value topics at once
     * @return the copy
     */
    public PublisherOptions withTopicsMax(int value) {
        return new PublisherOptions(connectionsMax, value, subscriptionsMax, drainTimeout, events);
    }

    /**
     * A copy with another number of subscriptions.
     *
     * @param value subscriptions of one connection at once
     * @return the copy
     */
    public PublisherOptions withSubscriptionsMax(int value) {
        return new PublisherOptions(connectionsMax, topicsMax, value, drainTimeout, events);
    }

    /**
     * A copy with another drain on close.
     *
     * @param value the longest time
     * @return the copy
     */
    public PublisherOptions withDrainTimeout(Duration value) {
        return new PublisherOptions(connectionsMax, topicsMax, subscriptionsMax, value, events);
    }

    /**
     * A copy with other events.
     *
     * @param value called when subscribers join and leave
     * @return the copy
     */
    public PublisherOptions withEvents(PublisherEvents value) {
        return new PublisherOptions(connectionsMax, topicsMax, subscriptionsMax, drainTimeout, value);
    }
}
