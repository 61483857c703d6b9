package io.fairlead;

import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * Whether and when an ended connection is made again, by a node to its peer or by a subscriber to its publisher.
 * Immutable.
 *
 * <p>The pause before an attempt doubles from {@code first} to {@code max}. Each pause is shortened at random by up to
 * half, to spread the load on a restarted process. After a successful attempt the pauses begin with {@code first}
 * again.
 */
public final class ReconnectPolicy {
    /** Never connects again. */
    public static final ReconnectPolicy NEVER =
            new ReconnectPolicy(Duration.ZERO, Duration.ZERO, 0, EndpointState.CLOSED);

    private static final Duration PAUSE_MIN = Duration.ofMillis(1);
    private static final Duration PAUSE_MAX = Duration.ofDays(365);

    private final Duration first;
    private final Duration max;
    private final int attemptsMax;
    private final EndpointState after;

    private ReconnectPolicy(Duration first, Duration max, int attemptsMax, EndpointState after) {
        this.first = first;
        this.max = max;
        this.attemptsMax = attemptsMax;
        this.after = after;
    }

    /**
     * Connects again after a failure, but not after a graceful close by the peer.
     *
     * @param first the pause before the first attempt, 1 ms and up
     * @param max the longest pause between attempts, {@code first} to 365 days
     * @return the policy, without a limit of attempts
     * @throws IllegalArgumentException if a pause is out of range
     */
    public static ReconnectPolicy afterFailure(Duration first, Duration max) {
        return of(first, max, EndpointState.FAILED);
    }

    /**
     * Connects again after a failure and after a graceful close by the peer, such as a server that is restarted.
     *
     * @param first the pause before the first attempt, 1 ms and up
     * @param max the longest pause between attempts, {@code first} to 365 days
     * @return the policy, without a limit of attempts
     * @throws IllegalArgumentException if a pause is out of range
     */
    public static ReconnectPolicy always(Duration first, Duration max) {
        return of(first, max, EndpointState.CLOSED);
    }

    private static ReconnectPolicy of(Duration first, Duration max, EndpointState after) {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(max, "max");
        if (first.compareTo(PAUSE_MIN) < 0) {
            throw new IllegalArgumentException("pause too short: first=" + first + ", at least 1 ms");
        }
        if (max.compareTo(PAUSE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "pause too long: max=" + max.toSeconds() + " s, at most " + PAUSE_MAX.toDays() + " days");
        }
        if (max.compareTo(first) < 0) {
            throw new IllegalArgumentException(
                    "longest pause below the first: first=" + first + ", max=" + max + "; raise max");
        }
        return new ReconnectPolicy(first, max, Integer.MAX_VALUE, after);
    }

    /**
     * The same policy with a limit of attempts.
     *
     * @param limit attempts in a row that may fail before the peer ends with the last failure, 1 and up
     * @return the policy
     * @throws IllegalArgumentException if the limit is below 1, or this is {@link #NEVER}
     */
    public ReconnectPolicy attemptsAtMost(int limit) {
        if (limit < 1 || attemptsMax == 0) {
            throw new IllegalArgumentException(
                    "no such limit: attempts=" + limit + ", at least 1 and not for a policy that never reconnects");
        }
        return new ReconnectPolicy(first, max, limit, after);
    }

    /**
     * Whether another attempt is to be made.
     *
     * @param ended how the connection ended: {@link EndpointState#FAILED} or {@link EndpointState#CLOSED}
     * @param failedAttempts attempts in a row that have failed since
     * @return true if another attempt is to be made
     */
    public boolean allows(EndpointState ended, int failedAttempts) {
        return failedAttempts < attemptsMax && (ended == EndpointState.FAILED || after == EndpointState.CLOSED);
    }

    /**
     * The pause before an attempt, before it is shortened at random.
     *
     * @param failedAttempts attempts in a row that have failed since the connection ended
     * @return from {@code first} to {@code max}
     */
    public Duration pause(int failedAttempts) {
        Duration pause = first;
        for (int i = 0; i < failedAttempts; i++) {
            if (pause.compareTo(max.dividedBy(2)) >= 0) {
                return max;
            }
            pause = pause.multipliedBy(2);
        }
        return pause;
    }

    /**
     * The pause before an attempt, shortened at random by up to half.
     *
     * @param failedAttempts attempts in a row that have failed since the connection ended
     * @param random decides by how much the pause is shortened
     * @return from half of {@link #pause} to all of it
     */
    public Duration shortenedPause(int failedAttempts, RandomGenerator random) {
        long pauseNs = pause(failedAttempts).toNanos();
        return Duration.ofNanos(pauseNs - random.nextLong(pauseNs / 2 + 1));
    }

    @Override
    public String toString() {
        return attemptsMax == 0
                ? "never"
                : (after == EndpointState.CLOSED ? "always" : "after failure") + ", pauses " + first.toMillis() + " to "
                        + max.toMillis() + " ms"
                        + (attemptsMax == Integer.MAX_VALUE ? "" : ", " + attemptsMax + " attempts");
    }
}
