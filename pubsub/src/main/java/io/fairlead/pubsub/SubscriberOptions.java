package io.fairlead.pubsub;

import io.fairlead.PathPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * How a subscriber connects. Immutable; start from {@link #defaults()}.
 *
 * @param name what the publisher calls it in {@link SubscriberStats}, at most 64 bytes of UTF-8
 * @param pathPolicy which paths the connection may take; empty for the policy that the context is configured with
 * @param backOffMin the wait before the first attempt to connect again, 1 ms to 1 hour; it doubles with every attempt that fails, and
 *     each wait is cut by a random part of up to a half, so that subscribers do not come back all at once
 * @param backOffMax the longest wait, {@code backOffMin} to 1 hour
 * @param attemptsMax failed attempts in a row before the subscriptions end, 1 and up
 * @param deliverMax messages of one subscription that one call of {@link Subscriber#progress()} delivers, 1 and up; fewer
 *     where handlers are slow, as the worker must make progress in between
 */
public record SubscriberOptions(
        String name,
        Optional<PathPolicy> pathPolicy,
        Duration backOffMin,
        Duration backOffMax,
        int attemptsMax,
        int deliverMax) {
    private static final SubscriberOptions DEFAULTS = new SubscriberOptions(
            "", Optional.empty(), Duration.ofMillis(20), Duration.ofSeconds(2), Integer.MAX_VALUE, 1024);

    /** Checks the ranges. */
    public SubscriberOptions {
        Limits.subscriberName(name);
        Objects.requireNonNull(pathPolicy, "pathPolicy");
        Limits.duration("backOffMin", backOffMin, Duration.ofMillis(1), Duration.ofHours(1));
        Limits.duration("backOffMax", backOffMax, backOffMin, Duration.ofHours(1));
        Limits.range("attemptsMax", attemptsMax, 1, Integer.MAX_VALUE, "");
        Limits.range("deliverMax", deliverMax, 1, Integer.MAX_VALUE, "messages");
    }

    /**
     * No name, the configured policy, waits of 20 ms to 2 s, any number of attempts, 1,024 messages per progress.
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
        return new SubscriberOptions(value, pathPolicy, backOffMin, backOffMax, attemptsMax, deliverMax);
    }

    /**
     * A copy with a path policy of its own, whatever is configured.
     *
     * @param value the policy
     * @return the copy
     */
    public SubscriberOptions withPathPolicy(PathPolicy value) {
        return new SubscriberOptions(name, Optional.of(value), backOffMin, backOffMax, attemptsMax, deliverMax);
    }

    /**
     * A copy with other waits between attempts to connect.
     *
     * @param min the first wait
     * @param max the longest wait
     * @return the copy
     */
    public SubscriberOptions withBackOff(Duration min, Duration max) {
        return new SubscriberOptions(name, pathPolicy, min, max, attemptsMax, deliverMax);
    }

    /**
     * A copy with another number of attempts.
     *
     * @param value failed attempts in a row
     * @return the copy
     */
    public SubscriberOptions withAttemptsMax(int value) {
        return new SubscriberOptions(name, pathPolicy, backOffMin, backOffMax, value, deliverMax);
    }

    /**
     * A copy with another number of messages per progress.
     *
     * @param value messages of one subscription
     * @return the copy
     */
    public SubscriberOptions withDeliverMax(int value) {
        return new SubscriberOptions(name, pathPolicy, backOffMin, backOffMax, attemptsMax, value);
    }
}
