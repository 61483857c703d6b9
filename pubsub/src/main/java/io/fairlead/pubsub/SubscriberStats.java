package io.fairlead.pubsub;

import io.fairlead.Path;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * One subscriber of one topic as its publisher saw it at one moment. Immutable.
 *
 * @param subscriber the name that the subscriber gave itself
 * @param topic the topic's name
 * @param address the subscriber's address
 * @param state its state
 * @param joinedSequence the sequence number of the first message that it could receive
 * @param sentSequence the last sequence number handed to the transport for it; {@code joinedSequence - 1} if none
 * @param consumedSequence the last sequence number that it is known to have consumed; it reports in steps, so this lags behind
 * @param backlog messages published and neither sent nor dropped
 * @param dropped messages dropped by {@link SlowPolicy#DROP_OLDEST}, or not sent when the topic closed
 * @param path the path of its data, and why
 */
public record SubscriberStats(
        String subscriber,
        String topic,
        InetSocketAddress address,
        SubscriberState state,
        long joinedSequence,
        long sentSequence,
        long consumedSequence,
        long backlog,
        long dropped,
        Optional<Path> path) {
    /** Rejects nulls. */
    public SubscriberStats {
        Objects.requireNonNull(subscriber, "subscriber");
        Objects.requireNonNull(topic, "topic");
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(path, "path");
    }
}
