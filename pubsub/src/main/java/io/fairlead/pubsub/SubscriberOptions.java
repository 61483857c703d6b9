package io.fairlead.pubsub;

import io.fairlead.PathPolicy;
import io.fairlead.ReconnectPolicy;
import io.fairlead.Worker;
import io.fairlead.pubsub.internal.Limits;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a subscriber connects. Immutable; start from {@link #defaults()}.
 *
 * @param name what the publisher calls it in {@link SubscriberStats}, at most 64 bytes of UTF-8
 * @param pathPolicy which paths the connection may take; empty for the policy that the context is configured with
 * @param reconnect whether and when a connection that ended, or was not made, is tried again; a stream that the publisher ended alone is
 *     joined again after the same pauses. Attempts that fail in a row count from the first, and one on which no subscription has joined has
 *     failed; when no more are allowed the subscriptions end
 * @param deliverMax messages of one subscription that one call of {@link Worker#progress()} delivers, 1 and up; fewer
 *     where handlers are slow, as the worker must watch its peers in between
 */
public record SubscriberOptions(
        String name, Optional<PathPolicy> pathPolicy, ReconnectPolicy reconnect, int deliverMax) {
    private static final SubscriberOptions DEFAULTS = new SubscriberOptions(
            "", Optional.empty(), ReconnectPolicy.always(Duration.ofMillis(20), Duration.ofSeconds(2)), 1024);

    /** Checks the ranges. */
    public SubscriberOptions {
        Limits.subscriberName(name);
        Objects.requireNonNull(pathPolicy, "pathPolicy");
        Objects.requireNonNull(reconnect, "reconnect");
        Limits.range("deliverMax", deliverMax, 1, Integer.MAX_VALUE, "messages");
    }

    /**
     * No name, the configured policy, {@link ReconnectPolicy#always} with pauses of 20 ms to 2 s, 1,024 messages per progress.
     *
     * @return always the same
     */
    public static SubscriberOptions defaults() {
        return DEFAULTS;
    }

    /**
     * A copy with another name.
     *
     * @param value the name
     * @return the copy
     */
    public SubscriberOptions withName(String value) {
        return new SubscriberOptions(value, pathPolicy, reconnect, deliverMax);
    }

    /**
     * A copy with a path policy, which is used instead of the configured one.
     *
     * @param value the policy
     * @return the copy
     */
    public SubscriberOptions withPathPolicy(PathPolicy value) {
        return new SubscriberOptions(
                name, Optional.of(Objects.requireNonNull(value, "pathPolicy")), reconnect, deliverMax);
    }

    /**
     * A copy with another policy for connections that end.
     *
     * @param value the policy
     * @return the copy
     */
    public SubscriberOptions withReconnect(ReconnectPolicy value) {
        return new SubscriberOptions(name, pathPolicy, value, deliverMax);
    }

    /**
     * A copy with another number of messages per progress.
     *
     * @param value messages of one subscription
     * @return the copy
     */
    public SubscriberOptions withDeliverMax(int value) {
        return new SubscriberOptions(name, pathPolicy, reconnect, value);
    }
}
