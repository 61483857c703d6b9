package io.fairlead.node;

import io.fairlead.ReconnectPolicy;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link PeerSet} sends requests again that have failed, beyond asking its other members at once. Immutable.
 *
 * <p>After a pause it repeats a request that no handler has seen, and that failed with {@link RequestStatus#UNAVAILABLE} or
 * {@link RequestStatus#RESOURCE_EXHAUSTED}. One that a handler may have seen is repeated only if it is {@linkplain RequestOptions#idempotent idempotent} and its
 * connection was lost. All attempts share the request's deadline.
 *
 * <p>A budget bounds what this adds to the load: further attempts are at most a share of the set's requests, with ten in advance. When it is spent,
 * requests fail as their last attempt has.
 */
public final class RetryPolicy {
    /** The most attempts of a request. */
    public static final int ATTEMPTS_MAX = 16;

    /** No further attempts. */
    public static final RetryPolicy NONE = new RetryPolicy(new Builder().attempts(1));

    private final int attempts;
    private final ReconnectPolicy pauses;
    private final @Nullable Duration hedgeAfter;
    private final int budgetPercent;

    private RetryPolicy(Builder builder) {
        attempts = builder.attempts;
        pauses = builder.pauses;
        hedgeAfter = builder.hedgeAfter;
        budgetPercent = builder.budgetPercent;
    }

    /**
     * Begins with 3 attempts, pauses of 20 ms to 1 s, no hedging and a budget of 10 percent.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How often a request is sent at most, the first time included. Members that are asked at once because another has refused are one attempt.
     *
     * @return 1 to {@value #ATTEMPTS_MAX}
     */
    public int attempts() {
        return attempts;
    }

    /**
     * The pause before a further attempt: it doubles with each, and a random part of at most half is left out.
     *
     * @return a policy that always tries again
     */
    public ReconnectPolicy pauses() {
        return pauses;
    }

    /**
     * When an idempotent request without an answer is sent to another member as well.
     *
     * @return empty for never
     */
    public Optional<Duration> hedgeAfter() {
        return Optional.ofNullable(hedgeAfter);
    }

    /**
     * How many further attempts there are for 100 requests.
     *
     * @return 0 to 100
     */
    public int budgetPercent() {
        return budgetPercent;
    }

    /** Collects the parts of a policy. Not thread-safe. */
    public static final class Builder {
        private static final int PERCENT_MAX = 100;
        private static final Duration HEDGE_MAX = Duration.ofDays(1);

        private int attempts = 3;
        private ReconnectPolicy pauses = ReconnectPolicy.always(Duration.ofMillis(20), Duration.ofSeconds(1));
        private @Nullable Duration hedgeAfter;
        private int budgetPercent = 10;

        private Builder() {}

        /**
         * Sets how often a request is sent at most.
         *
         * @param count 1 to {@value RetryPolicy#ATTEMPTS_MAX}
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder attempts(int count) {
            attempts = requireRange("attempts", count, 1, ATTEMPTS_MAX);
            return this;
        }

        /**
         * Sets the pauses before further attempts.
         *
         * @param first the pause before the second attempt, 1 ms and up
         * @param max the longest pause, {@code first} and up
         * @return this
         * @throws IllegalArgumentException if a pause is out of range
         */
        public Builder pauses(Duration first, Duration max) {
            pauses = ReconnectPolicy.always(first, max);
            return this;
        }

        /**
         * Sends an idempotent request to another member as well when it has had no answer for a time. The first reply counts, and the other attempt is
         * cancelled. Choose a time that most requests do not take, such as their 95th percentile.
         *
         * @param time more than 0 and up to a day; with no more than that left until its deadline, a request is not hedged
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder hedgeAfter(Duration time) {
            if (!Objects.requireNonNull(time, "time").isPositive() || time.compareTo(HEDGE_MAX) > 0) {
                throw new IllegalArgumentException(
                        "retry policy out of range: hedgeAfter=" + time + ", allowed more than 0 and up to a day");
            }
            hedgeAfter = time;
            return this;
        }

        /**
         * Sets how many further attempts there are for 100 requests.
         *
         * @param percent 0 to 100
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder budgetPercent(int percent) {
            budgetPercent = requireRange("budgetPercent", percent, 0, PERCENT_MAX);
            return this;
        }

        private static int requireRange(String name, int value, int least, int most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException(
                        "retry policy out of range: " + name + "=" + value + ", allowed " + least + " to " + most);
            }
            return value;
        }

        /**
         * Makes the policy.
         *
         * @return the policy
         */
        public RetryPolicy build() {
            return new RetryPolicy(this);
        }
    }
}
