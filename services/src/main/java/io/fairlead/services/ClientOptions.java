package io.fairlead.services;

import io.fairlead.node.RequestStatus;
import java.time.Duration;
import java.util.Objects;

/**
 * How a client calls its service. Immutable.
 *
 * @param deadline how long a call may take, more than 0 and up to a day. {@link TypedServices#within} sets a shorter one
 * @param payloadMax the longest argument, in bytes, 1 and up; a call with a longer one fails with {@link RequestStatus#RESOURCE_EXHAUSTED}. The service's
 *     {@code node.message-max} limits it too
 */
public record ClientOptions(Duration deadline, int payloadMax) {
    private static final Duration DEADLINE_MAX = Duration.ofDays(1);

    /** The default: 10 s, 16 MiB. */
    public static final ClientOptions DEFAULT = new ClientOptions(Duration.ofSeconds(10), 16 << 20);

    /** Checks the limits. */
    public ClientOptions {
        Objects.requireNonNull(deadline, "deadline");
        if (!deadline.isPositive() || deadline.compareTo(DEADLINE_MAX) > 0) {
            throw new IllegalArgumentException("deadline of a client out of range: deadline=" + deadline
                    + ", allowed more than 0 and up to a day");
        }
        if (payloadMax < 1) {
            throw new IllegalArgumentException(
                    "limit of a client out of range: payloadMax=" + payloadMax + " bytes, allowed 1 and up");
        }
    }

    /**
     * The same with another deadline.
     *
     * @param newDeadline how long a call may take
     * @return new options
     */
    public ClientOptions withDeadline(Duration newDeadline) {
        return new ClientOptions(newDeadline, payloadMax);
    }

    /**
     * The same with another limit of arguments.
     *
     * @param newPayloadMax the longest argument in bytes
     * @return new options
     */
    public ClientOptions withPayloadMax(int newPayloadMax) {
        return new ClientOptions(deadline, newPayloadMax);
    }
}
