package io.fairlead.node;

import io.fairlead.observation.MessageContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How a request is made. Immutable.
 *
 * @param deadline the time from now, up to a day. One of zero or less fails the request with {@link RequestStatus#DEADLINE_EXCEEDED}
 * @param waitsForConnection whether a request to a peer whose connection is being made again waits for it, until its deadline. Otherwise it fails at once
 *     with {@link RequestStatus#UNAVAILABLE}, safe to send again. A set waits for a member in any case
 * @param headers names and values for the service, such as credentials, a tenant or a correlation id, in {@link ServiceRequest#context()} there. They
 *     share its limits with what an observer adds, whose entries win
 * @param idempotent whether the service does the same if it gets the request twice. The {@link RetryPolicy} of a set may then send it again although a
 *     handler may have seen it
 */
public record RequestOptions(
        Duration deadline, boolean waitsForConnection, MessageContext headers, boolean idempotent) {
    /** Checks that nothing is null. */
    public RequestOptions {
        Objects.requireNonNull(deadline, "deadline");
        Objects.requireNonNull(headers, "headers");
    }

    /**
     * A request without headers that does not wait for a connection.
     *
     * @param deadline the time from now, up to a day
     * @return the options
     */
    public static RequestOptions within(Duration deadline) {
        return new RequestOptions(deadline, false, MessageContext.EMPTY, false);
    }

    /**
     * The same for a request that waits for a connection.
     *
     * @return new options
     */
    public RequestOptions waitingForConnection() {
        return new RequestOptions(deadline, true, headers, idempotent);
    }

    /**
     * The same for a request that may be carried out twice, such as a query.
     *
     * @return new options
     */
    public RequestOptions asIdempotent() {
        return new RequestOptions(deadline, waitsForConnection, headers, true);
    }

    /**
     * The same with one more header.
     *
     * @param name printable ASCII without spaces, at most {@link MessageContext#NAME_MAX} bytes
     * @param value without control characters; replaces the value that the name has
     * @return new options
     * @throws IllegalArgumentException if a limit of {@link MessageContext} is exceeded; the message names it
     */
    public RequestOptions withHeader(String name, String value) {
        Map<String, String> entries = new LinkedHashMap<>(headers.entries());
        entries.put(name, value);
        return new RequestOptions(deadline, waitsForConnection, MessageContext.of(entries), idempotent);
    }
}
